// The rules that need no page: tokens, texts, events, order, and what is on its way.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Keep } from "../static/keep.mjs";
import { Outbox, Sender, makeKey, unseen } from "../static/outbox.mjs";
import { backOff, span } from "../static/pace.mjs";
import { EventReader } from "../static/sse.mjs";
import { LIMIT, codePoints, faultOf } from "../static/text.mjs";
import { Thread } from "../static/thread.mjs";
import { fromFragment, fromPaste, isToken, makeToken } from "../static/token.mjs";
import { parts } from "../static/voice.mjs";
import { Fault, readPoll } from "../static/wire.mjs";

test("a token is 64 lowercase hex, and another each time", () => {
  const token = makeToken();
  assert.match(token, /^[0-9a-f]{64}$/);
  assert.notEqual(token, makeToken());
  for (const bad of ["", "a".repeat(63), "a".repeat(65), "A".repeat(64), "g".repeat(64), ` ${"a".repeat(63)}`, `${"a".repeat(64)}\n`]) assert.equal(isToken(bad), false, bad);
});

test("a fragment brings a token, a fault or nothing", () => {
  const token = "0123456789abcdef".repeat(4);
  assert.deepEqual(fromFragment(`#token=${token}`), { token });
  for (const bad of ["#token=", `#token=${token}0`, `#token=${token.toUpperCase()}`, `#token=${token}&x`]) assert.deepEqual(fromFragment(bad), { fault: true }, bad);
  for (const none of ["", "#", "#tok", `#${token}`]) assert.equal(fromFragment(none), null, none);
  assert.equal(fromPaste(` ${token}\n`), token);
  assert.equal(fromPaste(`http://hub.test/chat#token=${token}`), token);
  assert.equal(fromPaste(token.slice(1)), null);
  assert.equal(fromPaste(`x${token}`), null);
});

test("a text is counted in code points and never cut", () => {
  assert.equal(codePoints("a😀é"), 3);
  assert.equal(faultOf("😀".repeat(LIMIT)), null);
  assert.match(faultOf("😀".repeat(LIMIT + 1)).words, /1 character too long/);
  assert.match(faultOf("x".repeat(LIMIT + 1234)).words, /1,234 characters too long/);
  assert.deepEqual([faultOf("ab\u0000c").from, faultOf("ab\u0000c").to], [2, 3]);
  assert.equal(faultOf("😀\ud83d").from, 2);
  assert.equal(faultOf("\ude00 after").from, 0);
  assert.equal(faultOf("👨‍👩‍👧‍👦 مرحبا\n\u202e"), null);
});

test("events are read wherever the stream is cut", () => {
  const whole = ': still here\r\n\r\nevent: messages\nid: 7\ndata: {"a":1,\ndata:  "b":2}\n\nevent: x\n\ndata\n\nevent: messages\rdata: z\r\rdata: unfinished\n';
  const want = [["messages", '{"a":1,\n "b":2}'], ["message", ""], ["messages", "z"]];
  for (let size = 1; size <= whole.length; size++) {
    const got = [];
    const reader = new EventReader((type, data) => got.push([type, data]));
    for (let i = 0; i < whole.length; i += size) reader.push(whole.slice(i, i + size));
    assert.deepEqual(got, want, `in pieces of ${size}`);
  }
});

const message = (epoch, author = "hermes", text = `text ${epoch}`) => ({ id: `MSG-${epoch}`, epoch, author, text });
const poll = (cursor, ...messages) => ({ cursor, awaiting: messages.at(-1)?.author !== "hermes", messages });

test("messages stand in order and once, however they come", () => {
  const all = [1, 2, 3, 4, 5, 6].map((n) => message(n, n % 2 ? "operator" : "hermes"));
  const ways = [
    (t) => t.take(poll(6, ...all), 0),
    (t) => { t.takeOwn(all[4], all[4].text); t.take(poll(4, ...all.slice(0, 4)), 0); t.take(poll(6, ...all.slice(4)), 4); },
    (t) => { t.restore(all.slice(1, 3), 3); t.take(poll(6, ...all), 3); t.take(poll(6, ...all), 6); },
    (t) => { t.take(poll(3, ...all.slice(0, 3)), 0); t.takeOwn(all[4], all[4].text); t.takeOwn(all[4], all[4].text); t.take(poll(6, ...all.slice(3)), 3); },
  ];
  for (const way of ways) {
    const thread = new Thread();
    way(thread);
    assert.deepEqual(thread.messages.map((m) => m.id), all.map((m) => m.id));
    assert.equal(thread.cursor, 6);
  }
});

test("the answer to a post does not move the cursor past what was not seen", () => {
  const thread = new Thread();
  thread.take(poll(10, message(10)), 0);
  thread.takeOwn({ id: "MSG-30", epoch: 30 }, "mine");
  assert.equal(thread.cursor, 10);
  assert.equal(thread.awaiting, true);
  thread.take(poll(30, message(20), message(30, "operator", "mine")), 10);
  assert.deepEqual(thread.messages.map((m) => m.epoch), [10, 20, 30]);
  // What is older than what is known says nothing about now.
  thread.take({ cursor: 31, awaiting: false, messages: [message(31)] }, 30);
  thread.take({ cursor: 30, awaiting: true, messages: [] }, 30);
  assert.equal(thread.awaiting, false);
});

test("a server that knows less than it did is believed", () => {
  const thread = new Thread();
  thread.restore([message(10), message(20)], 20);
  assert.deepEqual(thread.take({ cursor: 0, awaiting: false, messages: [] }, 20), { added: [], restarted: true });
  assert.deepEqual(thread.messages, []);
  assert.equal(thread.cursor, 0);
});

test("what cannot be shown is left out, and an answer without a cursor is none", () => {
  const good = message(5);
  const read = readPoll({ cursor: 5, awaiting: true, messages: [good, null, { ...good, id: 7 }, { ...good, epoch: 1e300 }, { ...good, text: undefined }] });
  assert.deepEqual(read.messages, [good]);
  for (const bad of [null, {}, { cursor: "5", messages: [] }, { cursor: 5 }]) assert.throws(() => readPoll(bad), Fault);
});

test("the wait grows, has chance in it, and ends at half a minute", () => {
  assert.equal(backOff(0, () => 0), 500);
  assert.equal(backOff(0, () => 1), 1000);
  assert.equal(backOff(3, () => 0), 4000);
  assert.equal(backOff(1000, () => 1), 30_000);
  assert.deepEqual([0, 1000, 12_001, 99_000, 100_000, 600_000].map(span), ["0 seconds", "1 second", "13 seconds", "99 seconds", "1 min 40 s", "10 min"]);
});

test("a long answer is read in sentences", () => {
  assert.deepEqual(parts("Maths at 9:00. Then PE!\n\n— \nBring shoes"), ["Maths at 9:00.", "Then PE!", "Bring shoes"]);
});

// A Storage, as two tabs share it.
class Area {
  #map = new Map();
  room = Infinity;
  get length() { return this.#map.size; }
  key(n) { return [...this.#map.keys()][n] ?? null; }
  getItem(name) { return this.#map.get(name) ?? null; }
  setItem(name, value) {
    if (this.#map.size >= this.room && !this.#map.has(name)) throw new Error("full");
    this.#map.set(name, value);
  }
  removeItem(name) { this.#map.delete(name); }
}

test("a browser that keeps nothing, or is full, is no fault", () => {
  const blocked = new Keep(() => { throw new Error("blocked"); });
  assert.equal(blocked.lasting, false);
  assert.equal(blocked.set("a", "1"), false);
  assert.equal(blocked.get("a"), "1");
  const area = new Area();
  const full = new Keep(area);
  area.room = 0;
  assert.equal(full.lasting, true);
  assert.equal(full.set("b", "2"), false);
  assert.equal(full.get("b"), "2");
  assert.deepEqual(full.names("b"), ["b"]);
  area.room = 1;
  assert.equal(full.set("b", "3"), true);
  assert.deepEqual([full.get("b"), area.getItem("askhub.chat.b")], ["3", "3"]);
  area.setItem("askhub.chat.b", "{");
  assert.equal(full.json("b"), null);
});

test("two tabs write into one outbox without a loss", () => {
  const area = new Area();
  const [one, other] = [new Outbox(new Keep(area), "a"), new Outbox(new Keep(area), "a")];
  for (let i = 0; i < 10; i++) (i % 2 ? one : other).add(`text ${i}`, 0);
  assert.deepEqual(one.list().map((e) => e.text), Array.from({ length: 10 }, (_, i) => `text ${i}`));
  assert.deepEqual(new Outbox(new Keep(area), "b").list(), []);
  const [first] = one.list();
  other.settle(first.key, 5);
  one.fail(first.key, "too late");
  assert.equal(one.list().length, 9, "what another tab took out came back");
});

test("what arrived by the stream before its answer is shown once", () => {
  const entry = (key, n, newest, text = "yes") => ({ key, n, newest, text });
  const mine = (epoch, text = "yes") => message(epoch, "operator", text);
  const none = new Set();
  const keys = (...args) => unseen(...args).map((e) => e.key);
  assert.deepEqual(keys([entry("a", 1, 10)], [mine(11)], 0, none), []);
  assert.deepEqual(keys([entry("a", 1, 10)], [mine(9)], 0, none), ["a"], "an older message of the same words");
  assert.deepEqual(keys([entry("a", 1, 10)], [message(11, "hermes", "yes")], 0, none), ["a"], "the host's words");
  assert.deepEqual(keys([entry("a", 1, 10), entry("b", 2, 10)], [mine(11)], 0, none), ["b"], "one message stands for one");
  assert.deepEqual(keys([entry("b", 2, 10)], [mine(11)], 11, none), ["b"], "the message of the one before");
  assert.deepEqual(keys([entry("a", 1, 10)], [mine(11)], 0, new Set(["a"])), ["a"], "turned away");
  assert.deepEqual(keys([{ ...entry("a", 1, 10), failed: "no" }], [mine(11)], 0, none), ["a"], "refused");
});

// A Hub that carries out each key once, with faults by the list.
class Hub {
  said = [];
  #keys = new Map();
  #epoch = 0;
  constructor(faults) { this.faults = faults; }
  async post(text, key) {
    await null;
    const fault = this.faults.shift();
    if (fault === "before") throw new Fault("cut", { again: true });
    if (!this.#keys.has(key)) {
      this.said.push(text);
      this.#keys.set(key, { id: `MSG-${++this.#epoch}`, epoch: this.#epoch });
    }
    if (fault === "after") throw new Fault("lost", { again: true });
    return this.#keys.get(key);
  }
}

test("tabs without a lock send each message once and in order, whatever is lost", async () => {
  let chance = 7;
  const random = (n) => (chance = (chance * 48271) % 2147483647) % n;
  for (let round = 0; round < 50; round++) {
    const area = new Area();
    const hub = new Hub(Array.from({ length: 40 }, () => ["before", "after", ""][random(3)]));
    const texts = Array.from({ length: 8 }, (_, i) => `text ${i % 3} of ${i}`);
    const tabs = [0, 1, 2].map(() => {
      const outbox = new Outbox(new Keep(area), "a");
      const sender = new Sender({ outbox, wire: hub, locks: undefined, name: "a", tell: { changed() {}, sent() {}, failed() {} } });
      return { outbox, sender };
    });
    for (const text of texts) {
      tabs[random(3)].outbox.add(text, 0);
      for (const tab of tabs) tab.sender.kick();
    }
    while (tabs[0].outbox.list().length > 0) {
      for (const tab of tabs) tab.sender.kick();
      await new Promise((done) => setImmediate(done));
    }
    for (const tab of tabs) tab.sender.stop();
    assert.deepEqual(hub.said, texts);
  }
});

test("a lock that is denied or never comes is done without", async () => {
  for (const locks of [{ request: () => Promise.reject(new Error("denied")) }, { request: (_name, _options, work) => Promise.resolve().then(work) }]) {
    const outbox = new Outbox(new Keep(new Area()), "a");
    const hub = new Hub([]);
    outbox.add("text", 0);
    new Sender({ outbox, wire: hub, locks, name: "a", tell: { changed() {}, sent() {}, failed() {} } }).kick();
    while (outbox.list().length > 0) await new Promise((done) => setImmediate(done));
    assert.deepEqual(hub.said, ["text"]);
  }
});

test("a key is visible ASCII, and another each time", () => {
  assert.match(makeKey(), /^[0-9a-f]{32}$/);
  assert.notEqual(makeKey(), makeKey());
});
