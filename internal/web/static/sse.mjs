// Server-sent events out of a stream of text. The browser's own reader cannot send
// the token's header.

export class EventReader {
  #rest = "";
  #type = "";
  #data = [];
  #tell;

  constructor(tell) {
    this.#tell = tell;
  }

  // push takes the next piece, wherever the stream was cut.
  push(piece) {
    this.#rest += piece;
    let start = 0;
    for (;;) {
      const end = this.#lineEnd(start);
      if (end < 0) break;
      this.#line(this.#rest.slice(start, end));
      start = end + (this.#rest.startsWith("\r\n", end) ? 2 : 1);
    }
    this.#rest = this.#rest.slice(start);
  }

  #lineEnd(start) {
    for (let i = start; i < this.#rest.length; i++) {
      if (this.#rest[i] === "\n") return i;
      // A carriage return at the very end may be the first half of a pair.
      if (this.#rest[i] === "\r" && i + 1 < this.#rest.length) return i;
    }
    return -1;
  }

  #line(line) {
    if (line === "") {
      if (this.#data.length > 0) this.#tell(this.#type || "message", this.#data.join("\n"));
      this.#type = "";
      this.#data = [];
      return;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? "" : line.slice(colon + 1);
    if (value.startsWith(" ")) value = value.slice(1);
    if (field === "event") this.#type = value;
    if (field === "data") this.#data.push(value);
  }
}
