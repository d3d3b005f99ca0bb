// One chat in this page: its messages, what is on its way, and its connection. Nothing
// here draws.

import { Live } from "./live.mjs";
import { Outbox, Sender, unseen } from "./outbox.mjs";
import { span } from "./pace.mjs";
import { sentence } from "./text.mjs";
import { Thread } from "./thread.mjs";
import { label } from "./token.mjs";
import { Wire, readMessages } from "./wire.mjs";

// Kept for reading offline are so many.
const KEPT = 50;

// So long another tab has for sending what it wrote.
const OTHER_TAB = 3000;

export class Chat {
  #keep;
  #label;
  #settings;
  #tell;
  #outbox;
  #sender;
  #live;
  #closed = false;
  #helping = 0;
  // synced is true once the Hub has been heard.
  synced = false;
  thread = new Thread();

  // settings() gives those in force. tell.changed() is called when there is something else
  // to draw, tell.arrived(messages) for what is new since the page was opened,
  // tell.connection(name, words), tell.failed(words) for a message that was refused.
  constructor({ token, keep, settings, tell, locks = navigator.locks }) {
    this.token = token;
    this.#keep = keep;
    this.#label = label(token);
    this.#settings = settings;
    this.#tell = tell;
    this.wire = new Wire(token);
    this.#outbox = new Outbox(keep, this.#label);
    this.#restore();
    this.#sender = new Sender({
      outbox: this.#outbox,
      wire: this.wire,
      locks,
      name: this.#label,
      tell: {
        changed: () => this.#changed(),
        sent: (entry, answer) => {
          if (this.thread.takeOwn(answer, entry.text)) this.#save();
          this.#live.soon();
        },
        failed: (entry, words) => !this.#closed && tell.failed(sentence(words)),
      },
    });
    this.#live = new Live({
      wire: this.wire,
      thread: this.thread,
      tell: {
        took: (taken) => this.#took(taken),
        state: (name, words) => {
          if (this.#closed) return;
          // The Hub answers again, so what waits for the network may go.
          if (name === "live" || name === "polling") this.#sender.kick();
          tell.connection(name, words);
        },
      },
    });
  }

  open() {
    this.#live.start();
    this.#sender.kick();
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#helping);
    this.#live.stop();
    this.#sender.stop();
  }

  // renew tries everything anew: the network changed, or the page came back.
  renew() {
    this.#live.renew();
    this.#sender.kick();
  }

  // send takes a text into the outbox. False where a reload would lose it.
  send(text) {
    const { lasting } = this.#outbox.add(text, this.thread.newest);
    this.#sender.kick();
    this.#changed();
    return lasting;
  }

  retry(key) {
    this.#outbox.retry(key);
    this.#sender.kick();
    this.#changed();
  }

  remove(key) {
    this.#outbox.remove(key);
    this.#changed();
  }

  // unsent counts what would be lost with this chat.
  unsent() {
    return this.#outbox.list().length;
  }

  // pending gives what is on its way, each with its state in words.
  pending() {
    const entries = unseen(this.#outbox.list(), this.thread.messages, this.#outbox.settled, this.#sender.turnedAway);
    const { sending, waiting } = this.#sender;
    let first = true;
    return entries.map((entry) => {
      if (entry.failed) return { entry, state: { failed: true, words: `Not sent. ${sentence(entry.failed)}` } };
      let words = "Waiting";
      if (entry.key === sending) words = "Sending";
      else if (first && waiting?.asked) words = `Waiting. ${sentence(waiting.words)} It is sent in ${span(Math.max(0, waiting.until - performance.now()))}.`;
      else if (first && waiting) words = "Waiting for the connection";
      first = false;
      return { entry, state: { failed: false, words } };
    });
  }

  // counting is true while a state has a time in it.
  get counting() {
    return this.#sender.waiting?.asked === true;
  }

  // otherTab hears what another tab changed. What it wrote it sends itself; where it was
  // closed meanwhile, this one does.
  otherTab(name) {
    if (!this.#outbox.holds(name)) return;
    clearTimeout(this.#helping);
    this.#helping = setTimeout(() => this.#sender.kick(), OTHER_TAB);
    this.#changed();
  }

  // forget removes the kept messages; those that come later are kept again.
  forget() {
    this.#keep.set(this.#named("forgot"), String(this.thread.newest));
    this.#keep.remove(this.#named("kept"));
  }

  // keptCount says how many messages can be read offline.
  keptCount() {
    return this.#keep.json(this.#named("kept"))?.messages?.length ?? 0;
  }

  // settingsChanged keeps, or no longer keeps, what is here.
  settingsChanged() {
    this.#save();
  }

  // erase removes all that this browser keeps of the chat.
  erase() {
    this.close();
    for (const name of this.#keep.names(`${this.#label}.`)) this.#keep.remove(name);
  }

  // claimSpeech tells whether a message is yet to be read aloud, and that it is now.
  claimSpeech(epoch) {
    if (epoch <= (Number(this.#keep.get(this.#named("spoken"))) || 0)) return false;
    this.#keep.set(this.#named("spoken"), String(epoch));
    return true;
  }

  #named(what) {
    return `${this.#label}.${what}`;
  }

  #changed() {
    if (!this.#closed) this.#tell.changed();
  }

  #took({ added, restarted }) {
    if (this.#closed) return;
    if (restarted) {
      this.#keep.remove(this.#named("kept"));
      this.synced = false;
    } else {
      this.#save();
      if (this.synced && added.length > 0) this.#tell.arrived(added);
      this.synced = true;
    }
    this.#changed();
  }

  #restore() {
    const kept = this.#keep.json(this.#named("kept"));
    const whole = Array.isArray(kept?.messages) && Number.isSafeInteger(kept.cursor);
    if (!whole || !this.#settings().keepMessages) return;
    // After a forgetting the copy has gaps: then all is asked for anew.
    const from = this.#keep.get(this.#named("forgot")) === null && kept.messages.length > 0 ? kept.cursor : 0;
    this.thread.restore(readMessages(kept.messages), from);
  }

  #save() {
    const name = this.#named("kept");
    if (!this.#settings().keepMessages) {
      this.#keep.remove(name);
      return;
    }
    // Another tab may be ahead.
    if ((this.#keep.json(name)?.cursor ?? 0) > this.thread.cursor) return;
    const floor = Number(this.#keep.get(this.#named("forgot"))) || 0;
    const messages = this.thread.messages.filter((message) => message.epoch > floor).slice(-KEPT);
    this.#keep.setJSON(name, { cursor: this.thread.cursor, messages });
  }
}
