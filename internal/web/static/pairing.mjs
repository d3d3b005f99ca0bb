// Whom the chat speaks for. A code that was read to whoever runs the host is asked after
// until it is used or has run out.

import { announce, make } from "./dialogs.mjs";
import { span } from "./pace.mjs";
import { sentence } from "./text.mjs";

const ASK_AGAIN = 3000;

const ANSWERS = {
  hub: "The Hub answers here.",
  host: "Whoever runs the host answers here, by hand.",
  off: "Nobody answers here at present.",
};

// speaksForNobody says what an unpaired chat is good for: the Hub answers only who it knows.
export function speaksForNobody(answers) {
  return `This chat speaks for nobody yet, so ${answers === "hub" ? "nothing" : "nothing private"} is answered in it.`;
}

export class Pairing {
  #wire;
  #at;
  #tell;
  #state = null;
  #endsAt = 0;
  #timer = 0;
  #tick = 0;
  #ranOut = false;
  #stopped = false;

  // at holds the elements, tell({person, answers}) hears of each change.
  constructor({ wire, at, tell }) {
    this.#wire = wire;
    this.#at = at;
    this.#tell = tell;
  }

  stop() {
    this.#stopped = true;
    clearTimeout(this.#timer);
    clearInterval(this.#tick);
  }

  async refresh() {
    clearTimeout(this.#timer);
    try {
      this.#take(await this.#wire.pairing());
    } catch (fault) {
      if (this.#stopped) return;
      if (!this.#state) this.#at.words.textContent = `The Hub could not be asked. ${sentence(fault.message)}`;
      this.#later();
    }
  }

  async askCode() {
    this.#at.button.disabled = true;
    this.#at.fault.textContent = "";
    this.#ranOut = false;
    try {
      this.#take(await this.#wire.pairing({ ask: true }));
      if (!this.#stopped && this.#state.code) announce(`Your pairing code is ${[...this.#state.code].join(" ")}.`);
    } catch (fault) {
      if (this.#stopped) return;
      const wait = fault.waitMs > 0 ? ` Try again in ${span(fault.waitMs)}.` : "";
      this.#at.fault.textContent = `There is no code now. ${sentence(fault.message)}${wait}`;
    } finally {
      this.#at.button.disabled = false;
    }
  }

  #take(state) {
    if (this.#stopped) return;
    const before = this.#state;
    this.#state = state;
    if (state.code) this.#endsAt = performance.now() + state.leftMs;
    if (before?.code && !state.code && !state.person) this.#ranOut = true;
    if (state.person) this.#ranOut = false;
    this.#show();
    this.#tell(state);
    if (before && !before.person && state.person) announce(`Paired with ${state.person}.`);
    this.#later();
  }

  #later() {
    clearTimeout(this.#timer);
    if (this.#state?.code) this.#timer = setTimeout(() => this.refresh(), ASK_AGAIN);
  }

  #show() {
    const { words, answers, box, code, command, button } = this.#at;
    const { person } = this.#state;
    words.replaceChildren();
    if (person) words.append("Paired with ", make("bdi", { text: person }), ".");
    else words.append(speaksForNobody(this.#state.answers));
    if (this.#ranOut) words.append(" The code has run out.");
    answers.textContent = person || this.#state.answers !== "hub" ? (ANSWERS[this.#state.answers] ?? "") : "Once it is paired, the Hub answers here.";
    const live = this.#state.code !== "" && !person;
    box.hidden = !live;
    button.hidden = person !== "" || live;
    button.textContent = this.#ranOut ? "Get a new pairing code" : "Get a pairing code";
    if (live) {
      code.textContent = this.#state.code.replace(/(\d{4})(?=\d)/g, "$1 ");
      command.textContent = `askhub chat pair ${this.#state.code} NAME`;
    }
    this.#countDown();
    clearInterval(this.#tick);
    if (live) this.#tick = setInterval(() => this.#countDown(), 1000);
  }

  #countDown() {
    if (!this.#state.code) return;
    const left = this.#endsAt - performance.now();
    if (left > 0) {
      this.#at.left.textContent = `It holds for ${span(left)}.`;
      return;
    }
    this.#state = { ...this.#state, code: "" };
    this.#ranOut = true;
    this.#show();
  }
}
