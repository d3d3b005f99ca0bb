// An open page learns that something new waits: by the app's stream of events, and by asking
// while there is none.

import { element, make } from "./page.mjs";

const EVERY = 3000;
// The app says each quarter minute that a stream lives.
const SILENT = 45_000;

export function startWaiting() {
  const list = element("waiting");
  if (!list) return;
  const shown = new Set(Array.from(list.querySelectorAll(".approval"), (card) => `${card.dataset.owner}/${card.dataset.id}`));
  const told = new Set();
  let looking = false;
  let again = false;
  const look = async () => {
    if (document.visibilityState !== "visible") return;
    if (looking) {
      again = true;
      return;
    }
    looking = true;
    try {
      do {
        again = false;
        await ask();
      } while (again);
    } finally {
      looking = false;
    }
  };
  const ask = async () => {
    let waiting;
    try {
      const response = await fetch("/api/waiting");
      if (response.status === 401) location.assign("/signin");
      if (!response.ok) return;
      ({ waiting } = await response.json());
    } catch {
      return; // the next look tells
    }
    const fresh = waiting.filter((id) => !shown.has(id) && !told.has(id));
    if (fresh.length === 0) return;
    for (const id of fresh) told.add(id);
    // Nothing moves under the hands of somebody who reads: they say when.
    if (shown.size === 0) location.reload();
    else offer();
  };
  const stream = new Stream(look);
  setInterval(() => {
    stream.keep();
    if (!stream.lives()) look();
  }, EVERY);
  document.addEventListener("visibilitychange", () => {
    stream.keep();
    look();
  });
  stream.keep();
}

// Stream is the app's stream of events, while somebody looks at the page. A browser opens few
// connections to one host, so that a page in the background gives its own back.
class Stream {
  #source = null;
  #heard = 0;
  #look;

  constructor(look) {
    this.#look = look;
  }

  lives() {
    return this.#source?.readyState === EventSource.OPEN && Date.now() - this.#heard < SILENT;
  }

  // keep opens what should be open, and closes what should not or says nothing any more.
  keep() {
    const visible = document.visibilityState === "visible";
    const source = this.#source;
    if (source && (!visible || source.readyState === EventSource.CLOSED || Date.now() - this.#heard >= SILENT)) {
      source.close();
      this.#source = null;
    }
    if (visible && !this.#source) this.#open();
  }

  #open() {
    this.#heard = Date.now();
    const source = (this.#source = new EventSource("/api/events"));
    const heard = () => {
      this.#heard = Date.now();
      this.#look();
    };
    source.addEventListener("changed", heard);
    source.addEventListener("beat", heard); // now and then all the same
  }
}

function offer() {
  const news = element("news");
  const button = make("button", { type: "button", text: "Show it" });
  button.addEventListener("click", () => location.reload());
  news.replaceChildren(make("p", { text: "Something new waits." }), button);
}
