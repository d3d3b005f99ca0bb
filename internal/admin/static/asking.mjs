// The question box, and the forms of changes.

import { post } from "./wire.mjs";
import { element, make, running } from "./page.mjs";

export function startAsk() {
  const form = element("ask");
  if (!form) return;
  const fault = element("ask-fault");
  let open = ""; // the clarify that a next question answers
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    running(form.querySelector("button"), fault, async () => {
      const question = form.question.value;
      const said = await post("/api/ask", open ? { question, in_reply_to: open } : { question });
      open = said.status === "clarify" ? said.id : "";
      const card = make("div", { className: "card" });
      card.append(make("p", { className: "soft", text: question, dir: "auto" }), make("p", { text: said.reply, dir: "auto" }));
      if (said.approval) card.append(make("a", { href: `/approvals/hub/${said.approval}`, text: "Look at it" }));
      element("answers").prepend(card);
      form.question.value = "";
      form.question.focus();
    });
  });
}

export function startChanges() {
  for (const form of document.querySelectorAll("form.change")) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const fault = form.querySelector(".fault");
      for (const one of form.querySelectorAll("[aria-invalid]")) one.removeAttribute("aria-invalid");
      running(form.querySelector("button"), fault, async () => {
        try {
          const { owner, change } = form.dataset;
          const { to } = await post("/api/changes", { owner, change, why: form.querySelector("[data-why]").value, fields: fieldsOf(form) });
          location.assign(to);
        } catch (error) {
          const name = (error.field ?? "").split(".").at(-1);
          form.querySelector(`[data-field="${CSS.escape(name)}"]`)?.setAttribute("aria-invalid", "true");
          throw error;
        }
      });
    });
  }
}

function fieldsOf(form) {
  const fields = {};
  for (const one of form.querySelectorAll("[data-field]")) {
    const { field, type } = one.dataset;
    if (type === "days") {
      const days = Array.from(one.querySelectorAll("input:checked"), (box) => box.value);
      if (days.length > 0) fields[field] = days;
    } else if (one.value !== "") fields[field] = type === "number" ? Number(one.value) : one.value;
  }
  return fields;
}
