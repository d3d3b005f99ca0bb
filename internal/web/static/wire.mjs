// The chat API, and what its answers mean. Nothing here keeps a state but the token.

// A Fault is an answer that is not the wanted one. again is true where trying again
// by itself makes sense, waitMs the wait that the server asked for.
export class Fault extends Error {
  constructor(words, { status = 0, code = "", again = false, waitMs = 0 } = {}) {
    super(words);
    Object.assign(this, { status, code, again, waitMs });
  }
}

// A call that takes longer than this is taken for lost.
const PATIENCE = 30_000;

const RETRIED = ["rate_limited", "unavailable"];

export class Wire {
  #token;

  constructor(token) {
    this.#token = token;
  }

  // post gives {id, epoch}. The same key twice is one message.
  async post(text, key) {
    const { body } = await this.#call("post", {
      method: "POST",
      headers: { "Content-Type": "application/json", "Idempotency-Key": key },
      body: JSON.stringify({ text, kind: "operator" }),
    });
    if (typeof body.id !== "string" || !isEpoch(body.epoch)) throw odd();
    return { id: body.id, epoch: body.epoch };
  }

  async poll(since, signal) {
    const { body } = await this.#call(`poll?since=${since}`, { signal });
    return readPoll(body);
  }

  // stream gives the open response; its events are the caller's to read.
  async stream(since, signal) {
    const response = await this.#fetch(`stream?since=${since}`, { signal, headers: { Accept: "text/event-stream" } });
    if (!response.ok) throw await faultOf(response);
    const type = response.headers.get("Content-Type") ?? "";
    if (!type.startsWith("text/event-stream") || !response.body?.getReader) {
      response.body?.cancel?.().catch(() => {});
      throw new Fault("This connection cannot stream.", { status: 501 });
    }
    return response;
  }

  // pairing gives {person, answers, code, leftMs}; ask makes a code where there is none.
  async pairing({ ask = false } = {}) {
    const { body, response } = await this.#call("pair", { method: ask ? "POST" : "GET" });
    const state = {
      person: typeof body.person === "string" ? body.person : "",
      answers: typeof body.answers === "string" ? body.answers : "",
      code: typeof body.code === "string" ? body.code : "",
      leftMs: 0,
    };
    if (state.code) {
      // Both times are the server's, so this device's clock may be wrong.
      const now = Date.parse(response.headers.get("Date") ?? "") || Date.now();
      state.leftMs = Math.max(0, Date.parse(body.expires) - now) || 0;
    }
    return state;
  }

  async qr() {
    const response = await this.#fetch("qr", {});
    if (!response.ok) throw await faultOf(response);
    if (!(response.headers.get("Content-Type") ?? "").startsWith("image/")) throw odd();
    return response.blob();
  }

  async #call(path, init) {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), PATIENCE);
    const stop = () => late.abort();
    init.signal?.addEventListener("abort", stop);
    try {
      const response = await this.#fetch(path, { ...init, signal: late.signal });
      if (!response.ok) throw await faultOf(response);
      let body;
      try {
        body = await response.json();
      } catch {
        throw odd();
      }
      if (body?.success !== true) throw odd();
      return { body, response };
    } finally {
      clearTimeout(timer);
      init.signal?.removeEventListener("abort", stop);
    }
  }

  async #fetch(path, init) {
    try {
      return await fetch(`/api/chat/${path}`, {
        ...init,
        headers: { ...init.headers, "X-Chat-Token": this.#token },
        cache: "no-store",
        redirect: "error",
      });
    } catch {
      throw new Fault("The Hub was not reached.", { again: true });
    }
  }
}

// odd is for an answer that no Hub gives: a hotel's log-in page, say. It may pass.
function odd() {
  return new Fault("Something other than the Hub answered.", { again: true });
}

async function faultOf(response) {
  const status = response.status;
  let body = null;
  try {
    body = await response.json();
  } catch {
    // A proxy's page; the status has to do.
  }
  const code = typeof body?.code === "string" ? body.code : "";
  const known = body?.success === false && typeof body.error === "string";
  const words = known ? body.error : `The Hub answered with the error ${status}.`;
  const again = code ? RETRIED.includes(code) : status === 429 || status === 408 || status >= 500;
  return new Fault(words, { status, code, again, waitMs: again ? waitOf(response, body) : 0 });
}

function waitOf(response, body) {
  if (Number.isFinite(body?.retry_after_ms) && body.retry_after_ms > 0) return body.retry_after_ms;
  const seconds = Number(response.headers.get("Retry-After"));
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0;
}

// The latest moment that a date can hold.
const END_OF_TIME = 8.64e15;

// readPoll takes what a poll or an event of the stream brought. An answer without a cursor
// is none.
export function readPoll(body) {
  if (!Number.isSafeInteger(body?.cursor) || !Array.isArray(body.messages)) throw odd();
  return { cursor: body.cursor, awaiting: body.awaiting === true, messages: readMessages(body.messages) };
}

// readMessages leaves out what cannot be shown.
export function readMessages(list) {
  return list
    .filter((m) => typeof m?.id === "string" && typeof m.author === "string" && typeof m.text === "string" && isEpoch(m.epoch))
    .map(({ id, epoch, author, text }) => ({ id, epoch, author, text }));
}

function isEpoch(n) {
  return Number.isSafeInteger(n) && n >= 0 && n <= END_OF_TIME;
}
