// Keeping up with a chat: by the stream where it works, else by polling, and in either
// case from the cursor on, so that a break loses nothing.

import { backOff, Pause } from "./pace.mjs";
import { EventReader } from "./sse.mjs";
import { readPoll } from "./wire.mjs";

// The stream's first event comes at once. Where it does not, something on the way holds
// it back, and polling is the better way for a while.
const FIRST_EVENT = 6000;
const POLL_FOR = 60_000;
const POLL_FOR_MOST = 960_000;
// A stream says something every 15 seconds; after this long it is dead.
const SILENCE = 40_000;
// A stream that ends sooner than this has brought no more than a poll would.
const SHORT = 2000;
const SHORT_IN_A_ROW = 3;

const POLL_AWAITING = 3000;
const POLL_QUIET = 5000;
// A tab that nobody sees gives its connection back: a browser has six for one host.
const HIDDEN_AFTER = 15_000;
const POLL_HIDDEN = 30_000;
const REFUSED = 60_000;

export class Live {
  #wire;
  #thread;
  #tell;
  #pause = new Pause();
  #open = null;
  #stopped = false;
  #failures = 0;
  #shortStreams = 0;
  #pollUntil = 0;
  #pollFor = POLL_FOR;
  #hidden = false;
  #hiddenTimer = 0;

  // tell.took({added, restarted}) is called for each poll or event, tell.state(name, words)
  // when the connection is another.
  constructor({ wire, thread, tell }) {
    this.#wire = wire;
    this.#thread = thread;
    this.#tell = tell;
  }

  start() {
    document.addEventListener("visibilitychange", this.#onVisibility);
    this.#onVisibility();
    this.#loop();
  }

  stop() {
    this.#stopped = true;
    document.removeEventListener("visibilitychange", this.#onVisibility);
    clearTimeout(this.#hiddenTimer);
    this.renew();
  }

  // renew begins anew at once, also where a stream is open: after a change of network that
  // stream may be dead though nothing says so.
  renew() {
    this.#open?.end("renewed");
    this.#pause.end();
  }

  // soon ends a wait: there is news to be had.
  soon() {
    this.#pause.end();
  }

  #onVisibility = () => {
    clearTimeout(this.#hiddenTimer);
    if (document.visibilityState === "hidden") {
      this.#hiddenTimer = setTimeout(() => {
        this.#hidden = true;
        this.renew();
      }, HIDDEN_AFTER);
      return;
    }
    this.#hidden = false;
    this.#pause.end();
  };

  async #loop() {
    while (!this.#stopped) {
      const stream = !this.#hidden && performance.now() >= this.#pollUntil;
      const wait = await (stream ? this.#stream() : this.#poll());
      if (!this.#stopped && wait > 0) await this.#pause.for(wait);
    }
  }

  // connection is one call that can be ended, with the reason why.
  #connection() {
    const abort = new AbortController();
    const open = {
      signal: abort.signal,
      why: "",
      end(why) {
        open.why ||= why;
        abort.abort();
      },
    };
    this.#open = open;
    return open;
  }

  async #poll() {
    const open = this.#connection();
    const since = this.#thread.cursor;
    let poll;
    try {
      poll = await this.#wire.poll(since, open.signal);
    } catch (fault) {
      return open.why ? 0 : this.#failed(fault);
    }
    if (this.#stopped) return 0;
    this.#failures = 0;
    this.#tell.state("polling");
    if (this.#take(poll, since)) return 0;
    if (this.#hidden) return POLL_HIDDEN;
    const wait = this.#thread.awaiting ? POLL_AWAITING : POLL_QUIET;
    return wait * (0.8 + 0.4 * Math.random());
  }

  // stream reads until the stream ends, and gives the wait before the next call.
  async #stream() {
    const open = this.#connection();
    const started = performance.now();
    let first = false;
    let timer = setTimeout(() => open.end("silent"), FIRST_EVENT);
    try {
      const response = await this.#wire.stream(this.#thread.cursor, open.signal);
      await this.#read(response, open, (poll) => {
        if (!first) this.#tell.state("live");
        first = true;
        this.#failures = 0;
        if (this.#take(poll, this.#thread.cursor)) open.end("restarted");
      }, () => {
        if (!first) return;
        clearTimeout(timer);
        timer = setTimeout(() => open.end("dead"), SILENCE);
      });
    } catch (fault) {
      if (!open.why && !first) return this.#withoutStream(fault);
    } finally {
      clearTimeout(timer);
      open.end("done");
    }
    return this.#afterStream(open.why, first && performance.now() - started >= SHORT);
  }

  // read gives each event's poll, and a sign of life for each piece of the stream.
  async #read(response, open, took, alive) {
    const reader = response.body.getReader();
    // Not every browser ends a read when its call is aborted.
    open.signal.addEventListener("abort", () => reader.cancel().catch(() => {}));
    const events = new EventReader((type, data) => {
      if (type === "messages" && !open.why) took(readPoll(JSON.parse(data)));
    });
    const decoder = new TextDecoder();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      events.push(decoder.decode(value, { stream: true }));
      alive();
    }
  }

  #afterStream(why, long) {
    if (why === "renewed" || why === "restarted") return 0;
    this.#shortStreams = long ? 0 : this.#shortStreams + 1;
    if (long) this.#pollFor = POLL_FOR;
    if (why === "silent" || this.#shortStreams >= SHORT_IN_A_ROW) {
      return this.#pollForNow();
    }
    this.#tell.state("trying");
    return backOff(this.#shortStreams) / 2;
  }

  // pollForNow does without a stream, for longer each time.
  #pollForNow() {
    this.#shortStreams = 0;
    this.#pollUntil = performance.now() + this.#pollFor;
    this.#pollFor = Math.min(2 * this.#pollFor, POLL_FOR_MOST);
    return 0;
  }

  // withoutStream sorts out why no stream came: none here, not now, or no network.
  #withoutStream(fault) {
    if ([404, 405, 406, 501].includes(fault.status)) return this.#pollForNow();
    if (fault.status === 429 || fault.status === 503) {
      this.#pollUntil = performance.now() + Math.max(fault.waitMs, POLL_HIDDEN);
      return 0;
    }
    return this.#failed(fault);
  }

  #failed(fault) {
    if (this.#stopped) return 0;
    if (fault.again === false) {
      this.#tell.state("refused", fault.message);
      return REFUSED;
    }
    this.#tell.state(navigator.onLine === false ? "offline" : "trying");
    return Math.max(fault.waitMs ?? 0, backOff(this.#failures++));
  }

  // take tells what came, and whether all is to be asked for again.
  #take(poll, since) {
    const taken = this.#thread.take(poll, since);
    this.#tell.took(taken);
    return taken.restarted;
  }
}
