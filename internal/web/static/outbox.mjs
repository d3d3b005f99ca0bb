// Messages on their way. Each one has a place of its own in what the browser keeps, so
// that two tabs never overwrite each other's list, and a key of its own, so that
// posting it twice is one message. Every tab posts the first waiting one and no other:
// with no lock at all that is right, and a lock only saves posts.

import { backOff, Pause } from "./pace.mjs";
import { Fault } from "./wire.mjs";

// A lock that another tab does not give back in this time is done without.
const LOCK_PATIENCE = 10_000;

// makeKey works without a secure context, where randomUUID is not there.
export function makeKey(source = globalThis.crypto) {
  return Array.from(source.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class Outbox {
  #keep;
  #under;
  #settledName;

  constructor(keep, label) {
    this.#keep = keep;
    this.#under = `${label}.out.`;
    this.#settledName = `${label}.settled`;
  }

  // list gives every message that is not yet in the chat, in the order of writing.
  list() {
    return this.#keep
      .names(this.#under)
      .map((name) => this.#keep.json(name))
      .filter((entry) => typeof entry?.key === "string" && typeof entry.text === "string")
      .sort((a, b) => a.n - b.n || (a.key < b.key ? -1 : 1));
  }

  head() {
    return this.list().find((entry) => !entry.failed) ?? null;
  }

  // add keeps a text for sending. newest is the newest message then in the chat: what
  // comes of this text is newer. lasting is false where a reload would lose it.
  add(text, newest) {
    const n = 1 + this.list().reduce((most, entry) => Math.max(most, entry.n), 0);
    const entry = { key: makeKey(), n, text, newest };
    return { entry, lasting: this.#keep.setJSON(this.#under + entry.key, entry) };
  }

  // settle takes out a message that the chat has.
  settle(key, epoch) {
    if (epoch > this.settled) this.#keep.set(this.#settledName, String(epoch));
    this.remove(key);
  }

  // settled is the epoch of the newest message that came of this outbox.
  get settled() {
    return Number(this.#keep.get(this.#settledName)) || 0;
  }

  // fail keeps the server's words with a message. One that another tab took out
  // meanwhile must not come back.
  fail(key, words) {
    this.#change(key, (entry) => ({ ...entry, failed: words }));
  }

  retry(key) {
    this.#change(key, ({ failed, ...entry }) => entry);
  }

  remove(key) {
    this.#keep.remove(this.#under + key);
  }

  holds(name) {
    return name !== null && name.startsWith(this.#under);
  }

  #change(key, how) {
    const entry = this.#keep.json(this.#under + key);
    if (entry) this.#keep.setJSON(this.#under + key, how(entry));
  }
}

// unseen leaves out what is in the chat already though its post was not answered yet: the
// stream may be faster than the answer. A text counts as arrived where an own message of
// the same words is newer than all that was there before it. One that the server turned
// away is certainly not in the chat.
export function unseen(entries, messages, settled, turnedAway) {
  const claimed = new Set();
  return entries.filter((entry) => {
    if (entry.failed || turnedAway.has(entry.key)) return true;
    const from = Math.max(entry.newest, settled);
    const arrived = messages.find((m) => m.author === "operator" && m.epoch > from && m.text === entry.text && !claimed.has(m.id));
    if (arrived) claimed.add(arrived.id);
    return !arrived;
  });
}

// A Sender posts what the outbox holds, one at a time and in order.
export class Sender {
  #outbox;
  #wire;
  #locks;
  #lockName;
  #tell;
  #pause = new Pause();
  #running = false;
  #stopped = false;
  #failures = 0;
  // sending is the key that is being posted, waiting why and until when nothing is.
  sending = null;
  waiting = null;
  turnedAway = new Set();

  // tell.changed() is called whenever the state is another, tell.sent(entry, answer)
  // before a message leaves the outbox, tell.failed(entry, words) when one is refused.
  constructor({ outbox, wire, locks, name, tell }) {
    this.#outbox = outbox;
    this.#wire = wire;
    this.#locks = locks;
    this.#lockName = `askhub.chat.send.${name}`;
    this.#tell = tell;
  }

  // kick starts sending, or ends a wait for the network: something may have changed. A
  // wait that the server asked for is kept.
  kick() {
    if (this.#stopped) return;
    if (this.#running) {
      if (this.waiting && !this.waiting.asked) this.#pause.end();
      return;
    }
    this.#running = true;
    this.#run().finally(() => {
      this.#running = false;
      // One may have been added between the last look and here.
      if (!this.#stopped && this.#outbox.head()) this.kick();
    });
  }

  stop() {
    this.#stopped = true;
    this.#pause.end();
  }

  async #run() {
    while (!this.#stopped && this.#outbox.head()) {
      const fault = await this.#locked(() => this.#attempt());
      if (!fault) {
        this.#failures = 0;
        continue;
      }
      const ms = fault.waitMs || backOff(this.#failures++);
      this.waiting = { asked: fault.waitMs > 0, until: performance.now() + ms, words: fault.message };
      this.#tell.changed();
      await this.#pause.for(ms);
      this.waiting = null;
    }
    if (!this.#stopped) this.#tell.changed();
  }

  // attempt posts the first message and gives the fault after which to wait. Inside a
  // lock it looks anew: another tab may have sent it meanwhile.
  async #attempt() {
    const entry = this.#stopped ? null : this.#outbox.head();
    if (!entry) return null;
    this.sending = entry.key;
    this.#tell.changed();
    let answer;
    try {
      answer = await this.#wire.post(entry.text, entry.key);
    } catch (fault) {
      if (fault.code || (fault.status >= 400 && fault.status < 500)) this.turnedAway.add(entry.key);
      if (fault.again || !(fault instanceof Fault)) return fault;
      this.#outbox.fail(entry.key, fault.message);
      this.#tell.failed(entry, fault.message);
      return null;
    } finally {
      this.sending = null;
    }
    this.turnedAway.delete(entry.key);
    if (this.#stopped) {
      this.#outbox.remove(entry.key);
      return null;
    }
    this.#tell.sent(entry, answer);
    this.#outbox.settle(entry.key, answer.epoch);
    this.#tell.changed();
    return null;
  }

  async #locked(work) {
    if (!this.#locks) return work();
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), LOCK_PATIENCE);
    let held = false;
    try {
      return await this.#locks.request(this.#lockName, { signal: late.signal }, () => {
        held = true;
        clearTimeout(timer);
        return work();
      });
    } catch (error) {
      if (held) throw error;
      return work();
    } finally {
      clearTimeout(timer);
    }
  }
}
