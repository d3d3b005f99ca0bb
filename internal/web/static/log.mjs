// The conversation on the screen. What somebody wrote is only ever set as text, and its
// direction is its own.

import { make } from "./dialogs.mjs";

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" });
const DAY = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long", year: "numeric" });
const WHOLE = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });
const LOCALE = CLOCK.resolvedOptions().locale;

// This near the end counts as being there.
const NEAR_END = 60;

const WHO = { operator: "You", agent: "The AI in the page", hermes: "askhub" };

export function nameOf(author) {
  return WHO[author] ?? author;
}

export class LogView {
  #log;
  #list;
  #button;
  #rows = new Map();
  // Where the log stood when its end was last seen, while the reader reads the newest; null
  // where they read above.
  #end = 0;
  #fresh = 0;
  #act;

  // act.retry(key) and act.remove(key) are for a message that was not sent; act.leave() is
  // called when what had the focus is gone.
  constructor({ log, list, button, act }) {
    this.#log = log;
    this.#list = list;
    this.#button = button;
    this.#act = act;
    log.addEventListener("scroll", () => {
      this.#end = this.#isNearEnd() ? log.scrollTop : null;
      if (this.#end !== null) this.#seen();
    });
    button.addEventListener("click", () => {
      this.#act.leave();
      this.toEnd();
    });
    // A keyboard that opens, a text that grows, a turned phone.
    if (globalThis.ResizeObserver) {
      new ResizeObserver(() => this.#isAtEnd() && this.toEnd()).observe(log);
    }
  }

  toEnd() {
    this.#log.scrollTop = this.#log.scrollHeight;
    this.#end = this.#log.scrollTop;
    this.#seen();
  }

  // arrived counts messages that came from elsewhere, while the reader reads above.
  arrived(count) {
    if (count === 0 || this.#isAtEnd()) return;
    this.#fresh += count;
    this.#button.textContent = this.#fresh === 1 ? "1 new message" : `${this.#fresh} new messages`;
    this.#button.hidden = false;
  }

  // show draws messages and, after them, those on their way: each with its state, a
  // {words, failed}. The reader stays where they read.
  show(messages, pending) {
    const hold = this.#isAtEnd() ? null : this.#held();
    const focused = this.#list.contains(document.activeElement);
    const rows = [];
    let day = "";
    const lastOwn = messages.findLastIndex?.((m) => m.author === "operator") ?? -1;
    messages.forEach((message, at) => {
      const date = new Date(message.epoch);
      const today = `${date.getFullYear()}-${date.getMonth() + 1}-${date.getDate()}`;
      if (today !== day) rows.push(this.#row(`day:${today}`, () => dayRow(date)));
      day = today;
      const row = this.#row(`at:${message.id}`, () => messageRow(message, date));
      setText(row.querySelector(".sent"), at === lastOwn && pending.length === 0 ? "Sent" : "");
      rows.push(row);
    });
    for (const { entry, state } of pending) {
      const row = this.#row(`out:${entry.key}`, () => this.#pendingRow(entry));
      row.className = `message mine ${state.failed ? "failed" : "waiting"}`;
      setText(row.querySelector(".progress"), state.words);
      for (const button of row.querySelectorAll("button")) button.hidden = !state.failed;
      rows.push(row);
    }
    this.#lay(rows);
    if (hold) this.#log.scrollTop += hold.row.getBoundingClientRect().top - hold.top;
    else this.toEnd();
    // The pressed button may be gone or hidden now.
    const at = document.activeElement;
    if (focused && (!this.#list.contains(at) || at.hidden)) this.#act.leave();
  }

  clear() {
    this.#lay([]);
    this.toEnd();
  }

  #isNearEnd() {
    return this.#log.scrollHeight - this.#log.scrollTop - this.#log.clientHeight <= NEAR_END;
  }

  // The event of a scroll comes after it, on a busy phone much later: who has moved up since
  // reads above. Where only the log has grown or shrunk, they still read the newest.
  #isAtEnd() {
    return this.#isNearEnd() || (this.#end !== null && this.#log.scrollTop >= this.#end - NEAR_END);
  }

  #seen() {
    this.#fresh = 0;
    this.#button.hidden = true;
  }

  // held is the topmost row that the reader sees, and where.
  #held() {
    const top = this.#log.getBoundingClientRect().top;
    for (const row of this.#list.children) {
      const box = row.getBoundingClientRect();
      if (box.bottom > top) return { row, top: box.top };
    }
    return null;
  }

  #row(key, build) {
    let row = this.#rows.get(key);
    if (!row) {
      row = build();
      row.dataset.key = key;
      this.#rows.set(key, row);
    }
    return row;
  }

  // lay puts the rows into the list and touches only what is not in its place.
  #lay(rows) {
    const wanted = new Set(rows);
    for (const [key, row] of this.#rows) {
      if (wanted.has(row)) continue;
      row.remove();
      this.#rows.delete(key);
    }
    rows.forEach((row, at) => {
      if (this.#list.children[at] !== row) this.#list.insertBefore(row, this.#list.children[at] ?? null);
    });
  }

  #pendingRow(entry) {
    const row = make("li", { className: "message mine waiting" });
    const meta = make("div", { className: "meta" });
    const retry = make("button", { type: "button", className: "plain", text: "Retry" });
    const remove = make("button", { type: "button", className: "plain", text: "Remove" });
    retry.addEventListener("click", () => this.#act.retry(entry.key));
    remove.addEventListener("click", () => this.#act.remove(entry.key));
    meta.append(make("span", { className: "progress" }), retry, remove);
    row.append(make("span", { className: "unseen", text: "You" }), words(entry.text), meta);
    return row;
  }
}

function dayRow(date) {
  const row = make("li", { className: "day" });
  row.append(make("time", { dateTime: localDate(date), lang: LOCALE, text: DAY.format(date) }));
  return row;
}

function messageRow(message, date) {
  const own = message.author === "operator";
  const row = make("li", { className: own ? "message mine" : "message" });
  row.dataset.id = message.id;
  row.dataset.author = message.author;
  const meta = make("div", { className: "meta" });
  const who = make("span", { className: own ? "who unseen" : "who", text: nameOf(message.author) });
  const time = make("time", { dateTime: date.toISOString(), lang: LOCALE, text: CLOCK.format(date), title: WHOLE.format(date) });
  meta.append(time, make("span", { className: "sent" }));
  if (own) row.append(who, words(message.text), meta);
  else {
    meta.prepend(who);
    row.append(words(message.text), meta);
  }
  return row;
}

function words(text) {
  return make("div", { className: "words", dir: "auto", text });
}

function setText(at, text) {
  if (at && at.textContent !== text) at.textContent = text;
}

function localDate(date) {
  const two = (n) => String(n).padStart(2, "0");
  return `${String(date.getFullYear()).padStart(4, "0")}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
