// Dialogues, notices and announcements: what speaks to the person beside the conversation.

export function element(id) {
  return document.getElementById(id);
}

// make builds an element; what is said in it is only ever text.
export function make(tag, { className = "", text = "", ...rest } = {}) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return Object.assign(made, rest);
}

// openDialog shows a dialogue, above the page where the browser can.
export function openDialog(dialog) {
  if (dialog.open) return;
  if (dialog.showModal) dialog.showModal();
  else dialog.setAttribute("open", "");
}

export function closeDialog(dialog) {
  if (!dialog.open && !dialog.hasAttribute("open")) return;
  if (dialog.close) dialog.close();
  else dialog.removeAttribute("open");
}

// closable lets its button, and a tap beside it, close a dialogue. Escape is the browser's.
export function closable(dialog) {
  for (const button of dialog.querySelectorAll(".close")) button.addEventListener("click", () => closeDialog(dialog));
  dialog.addEventListener("click", (event) => {
    if (event.target !== dialog) return;
    const box = dialog.getBoundingClientRect();
    const inside = event.clientX >= box.left && event.clientX <= box.right && event.clientY >= box.top && event.clientY <= box.bottom;
    if (!inside) closeDialog(dialog);
  });
}

let asked = null;

// confirmed asks before something that cannot be taken back. A question still open is a no.
export function confirmed({ title, words, yes }) {
  const dialog = element("question-dialog");
  asked?.(false);
  element("question-title").textContent = title;
  element("question-words").textContent = words;
  const yesButton = element("question-yes");
  yesButton.textContent = yes;
  return new Promise((answer) => {
    const over = new AbortController();
    const end = (said) => {
      asked = null;
      over.abort();
      closeDialog(dialog);
      answer(said);
    };
    const { signal } = over;
    yesButton.addEventListener("click", () => end(true), { signal });
    element("question-no").addEventListener("click", () => end(false), { signal });
    // The event comes late: by then the next question may be open.
    dialog.addEventListener("close", () => dialog.open || end(false), { signal });
    asked = end;
    openDialog(dialog);
    element("question-no").focus();
  });
}

// notice shows a line above the conversation, once for each name, until it is closed.
export function notice(name, words, { action = "", act = null } = {}) {
  dismiss(name);
  const line = make("div", { className: "notice" });
  line.dataset.name = name;
  line.append(make("p", { text: words }));
  if (action) {
    const button = make("button", { type: "button", className: "plain", text: action });
    button.addEventListener("click", act);
    line.append(button);
  }
  const close = make("button", { type: "button", className: "plain", text: "Close" });
  close.addEventListener("click", () => {
    line.remove();
    element("text").focus();
  });
  line.append(close);
  element("notices").append(line);
}

export function dismiss(name) {
  element("notices").querySelector(`[data-name="${name}"]`)?.remove();
}

// Older announcements go, so that the list stays short; by then they were read out.
const ANNOUNCED = 6;

// announce says something to those who hear the page instead of seeing it.
export function announce(words) {
  const announcer = element("announcer");
  announcer.append(make("p", { text: words, dir: "auto" }));
  while (announcer.childElementCount > ANNOUNCED) announcer.firstElementChild.remove();
}
