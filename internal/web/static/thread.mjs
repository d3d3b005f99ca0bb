// The messages of one chat, whatever the order in which they come: from the stream,
// a poll, the answer to a post, and what was kept from the last visit.

// Shown are at most so many; the server keeps fewer.
const MOST = 500;

export class Thread {
  messages = [];
  // cursor comes from polls and the stream alone. The answer to a post must not move it:
  // another message may lie before the posted one.
  cursor = 0;
  awaiting = false;
  #awaitingAt = 0;
  #ids = new Set();

  // newest is the epoch of the newest message here.
  get newest() {
    return this.messages.at(-1)?.epoch ?? 0;
  }

  // restore takes what was kept. Only a whole copy may say where to go on from.
  restore(messages, cursor) {
    for (const message of messages) this.#add(message);
    this.cursor = cursor;
  }

  // take adds what a poll or an event brought, asked for since a cursor. It gives the
  // messages that are new here, and whether the server knows less than it did: then its
  // store was emptied or put back, and all is to be asked for again.
  take(poll, since) {
    if (poll.cursor < since) {
      this.messages = [];
      this.#ids.clear();
      this.cursor = 0;
      this.awaiting = false;
      this.#awaitingAt = 0;
      return { added: [], restarted: true };
    }
    const added = poll.messages.filter((message) => this.#add(message));
    this.cursor = Math.max(this.cursor, poll.cursor);
    this.#await(poll.cursor, poll.awaiting);
    return { added, restarted: false };
  }

  // takeOwn adds a message whose post was answered.
  takeOwn({ id, epoch }, text) {
    const added = this.#add({ id, epoch, author: "operator", text });
    if (added) this.#await(epoch, true);
    return added;
  }

  #await(at, awaiting) {
    if (at < this.#awaitingAt) return;
    this.#awaitingAt = at;
    this.awaiting = awaiting;
  }

  #add(message) {
    if (this.#ids.has(message.id)) return false;
    this.#ids.add(message.id);
    let at = this.messages.length;
    while (at > 0 && after(this.messages[at - 1], message)) at--;
    this.messages.splice(at, 0, message);
    if (this.messages.length > MOST) this.messages.shift();
    return true;
  }
}

function after(a, b) {
  return a.epoch > b.epoch || (a.epoch === b.epoch && a.id > b.id);
}
