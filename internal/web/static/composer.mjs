// Writing a message.

import { LIMIT, NEAR, codePoints, faultOf } from "./text.mjs";

const DRAFT = "askhub.chat.draft";

export class Composer {
  #text;
  #count;
  #fault;
  #send;

  // send(text) takes a text that may be sent.
  constructor({ form, text, count, fault, send }) {
    this.#text = text;
    this.#count = count;
    this.#fault = fault;
    this.#send = send;
    // On a touch keyboard Enter is the only way to a new line.
    const touch = matchMedia("(hover: none) and (pointer: coarse)");
    const hint = () => (text.enterKeyHint = touch.matches ? "enter" : "send");
    touch.addEventListener?.("change", hint);
    hint();
    text.addEventListener("keydown", (event) => {
      // 229: a key that an input method took for itself, in browsers that do not say so.
      if (event.key !== "Enter" || event.isComposing || event.keyCode === 229) return;
      const always = event.ctrlKey || event.metaKey;
      if (!always && (event.shiftKey || event.altKey || touch.matches)) return;
      event.preventDefault();
      this.#submit();
    });
    text.addEventListener("input", () => this.#changed());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    // Somebody may have written before this ran.
    text.value ||= draft() ?? "";
    this.#changed();
  }

  focus() {
    this.#text.focus();
  }

  // insert puts words in at the cursor, with a space before them where one is missing.
  insert(words) {
    const { value, selectionStart, selectionEnd } = this.#text;
    const before = value.slice(0, selectionStart);
    const space = before === "" || /\s$/u.test(before) ? "" : " ";
    this.#text.setRangeText(space + words, selectionStart, selectionEnd, "end");
    this.#changed();
  }

  say(fault) {
    this.#fault.textContent = fault;
  }

  #submit() {
    const text = this.#text.value;
    if (text.trim() === "") {
      this.#text.focus();
      return;
    }
    const fault = faultOf(text);
    if (fault) {
      this.say(fault.words);
      this.#text.focus();
      if (fault.from !== undefined) this.#text.setSelectionRange(fault.from, fault.to);
      return;
    }
    // First into safety, then out of the field.
    this.#send(text);
    this.#text.value = "";
    this.#changed();
    this.#text.focus();
  }

  #changed() {
    const text = this.#text;
    this.say("");
    draft(text.value);
    text.style.height = "auto";
    text.style.height = `${text.scrollHeight + text.offsetHeight - text.clientHeight}px`;
    // Counting is only worth it near the end.
    const left = text.value.length < LIMIT - NEAR ? LIMIT : LIMIT - codePoints(text.value);
    this.#count.classList.toggle("over", left < 0);
    if (left < 0) text.setAttribute("aria-invalid", "true");
    else text.removeAttribute("aria-invalid");
    this.#count.textContent = left < 0 ? `${(-left).toLocaleString()} too many` : left <= NEAR ? `${left.toLocaleString()} left` : "";
  }
}

// The draft outlives a reload of its tab.
function draft(text) {
  try {
    if (text === undefined) return sessionStorage.getItem(DRAFT);
    if (text === "") sessionStorage.removeItem(DRAFT);
    else sessionStorage.setItem(DRAFT, text);
  } catch {
    // Then it does not.
  }
  return null;
}
