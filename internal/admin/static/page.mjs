// What the modules of all pages share.

export const element = (id) => document.getElementById(id);

// make builds an element; what is said in it is only ever text.
export function make(tag, { className = "", text = "", ...rest } = {}) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return Object.assign(made, rest);
}

// running does something that takes a while: the button waits, and a fault is told.
export async function running(button, fault, work) {
  if (button.getAttribute("aria-disabled") === "true") return;
  button.setAttribute("aria-disabled", "true");
  fault.textContent = "";
  try {
    await work();
  } catch (error) {
    fault.textContent = error.message;
  } finally {
    button.removeAttribute("aria-disabled");
  }
}

// ready lets the buttons work that wait in the page for these modules. A form that were sent
// before would go to the server as it stands, an enrolment code in the address.
export function ready() {
  for (const button of document.querySelectorAll("button:disabled")) button.disabled = false;
}

// ownTimes writes each time on the reader's own clock.
export function ownTimes(root = document) {
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
  for (const one of root.querySelectorAll("time[datetime]")) {
    const at = new Date(one.dateTime);
    if (!Number.isNaN(at.valueOf())) one.textContent = format.format(at);
  }
}
