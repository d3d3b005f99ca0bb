// The smallest project in TypeScript: it greets whoever asks.
//
// It runs on Node's own http and needs no package to run. Change NAME, TOPICS,
// PEOPLE, maySee and answer; the rest is the ask contract.
//
//   npm ci && npm run build
//   PORT=8421 PROJECT_TOKEN_HELLO=<at least 32 characters> npm start

import { createHash, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";

const NAME = "hello";
const TOPICS = ["hello", "greeting"];
const PEOPLE = ["sam", "harry"];

type Question = { question: string; asker: string; person: string; source: string };
type Answer = { answer: string; expires?: string } | { answer: null; reason: string };

/** Says whether asker may see person's data. */
function maySee(asker: string, person: string): boolean {
  return asker === person;
}

/** One short sentence, or null and the reason. It only reads, and stops when signal says so. */
async function answer(q: Question, _signal: AbortSignal): Promise<Answer> {
  if (!q.question.toLowerCase().includes("hello")) {
    return { answer: null, reason: "I only know how to say hello" };
  }
  return { answer: `Hello, ${q.person}.` };
}

// What follows is the contract.

const MAX_BODY = 32 * 1024;
const MAX_QUESTION = 4000;
const BUDGET = 2800; // milliseconds; the Hub waits for three seconds
const FIELDS = ["question", "asker", "person", "source"] as const;
const TITLES: Record<number, string> = {
  400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 405: "Method Not Allowed", 408: "Request Timeout",
  413: "Content Too Large", 415: "Unsupported Media Type", 431: "Request Header Fields Too Large",
};

/** A protocol error: it is answered as application/problem+json. */
class Problem extends Error {
  status: number;
  code: string;
  detail: string;
  field: string;
  headers: Record<string, string>;

  constructor(status: number, code: string, detail: string, field = "", headers: Record<string, string> = {}) {
    super(code);
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.field = field;
    this.headers = headers;
  }

  body(): string {
    const { status, code, detail } = this;
    const field = this.field === "" ? undefined : this.field;
    return JSON.stringify({ type: "about:blank", title: TITLES[status] ?? "Error", status, detail, code, field });
  }
}

const port = Number(process.env.PORT);
const token = process.env["PROJECT_TOKEN_" + NAME.toUpperCase()] ?? "";
if (token.length < 32) {
  console.error(`set PROJECT_TOKEN_${NAME.toUpperCase()} to a token of at least 32 characters`);
  process.exit(1);
}
if (!Number.isInteger(port) || port < 1 || port > 65535) {
  console.error("set PORT to a port number, such as 8421");
  process.exit(1);
}

const digest = (text: string) => createHash("sha256").update(text).digest();
const right = digest(token);

function checkToken(req: IncomingMessage): void {
  const [scheme = "", given = ""] = (req.headers.authorization ?? "").split(/ +(.*)/s);
  if (scheme.toLowerCase() !== "bearer" || !timingSafeEqual(digest(given), right)) {
    throw new Problem(401, "unauthorized", "Send the right bearer token.", "Authorization", { "WWW-Authenticate": "Bearer" });
  }
}

/** Node keeps the first of a repeated header, so the raw ones are counted. */
function checkFraming(req: IncomingMessage): void {
  const names = req.rawHeaders.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase());
  for (const name of ["authorization", "host", "content-type", "content-length"]) {
    if (names.filter((n) => n === name).length > 1) {
      throw new Problem(400, "ambiguous_request", `Send ${name} once.`, name);
    }
  }
  if (names.includes("transfer-encoding") && names.includes("content-length")) {
    throw new Problem(400, "ambiguous_request", "Send Content-Length or Transfer-Encoding, not both.", "transfer-encoding");
  }
}

async function readBody(req: IncomingMessage): Promise<Buffer> {
  const type = (req.headers["content-type"] ?? "").toLowerCase().replaceAll(" ", "");
  if (type !== "application/json" && type !== "application/json;charset=utf-8") {
    throw new Problem(415, "unsupported_media_type", "Send application/json.", "Content-Type");
  }
  const tooLarge = new Problem(413, "body_too_large", "Send at most 32 KB.", "body");
  if (Number(req.headers["content-length"] ?? 0) > MAX_BODY) throw tooLarge;
  const chunks: Buffer[] = [];
  let size = 0;
  // By events, since leaving a for await would end the connection before the answer.
  await new Promise<void>((done, failed) => {
    req.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_BODY) failed(tooLarge);
      else chunks.push(chunk);
    });
    req.on("end", done);
    req.on("error", failed);
  });
  return Buffer.concat(chunks);
}

/** The key that stands twice in one object of a valid document; JSON.parse takes it without a word. */
function duplicateKey(text: string): string | undefined {
  const open: (Set<string> | null)[] = []; // a set for each object, null for each list
  let previous = "";
  for (const [piece] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]/gs)) {
    const keys = open.at(-1);
    if (piece === "{") open.push(new Set());
    else if (piece === "[") open.push(null);
    else if (piece === "}" || piece === "]") open.pop();
    else if (piece[0] === '"' && keys && (previous === "{" || previous === ",")) {
      const key: string = JSON.parse(piece);
      if (keys.has(key)) return key;
      keys.add(key);
    }
    previous = piece;
  }
  return undefined;
}

const fold = (text: string) => text.toUpperCase().toLowerCase(); // "aſker" becomes "asker"

/** The question in a request's body, or a Problem that names the field. */
function parse(body: Buffer): Question {
  let text: string;
  let fields: Record<string, unknown>;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
    fields = JSON.parse(text);
  } catch {
    throw new Problem(400, "invalid_json", "Send one JSON object in UTF-8.", "body");
  }
  if (typeof fields !== "object" || fields === null || Array.isArray(fields)) {
    throw new Problem(400, "invalid_json", "Send one JSON object.", "body");
  }
  const twice = duplicateKey(text);
  if (twice !== undefined) {
    throw new Problem(400, "duplicate_key", `Send "${twice.slice(0, 60)}" once.`, twice.slice(0, 60));
  }
  for (const key of Object.keys(fields)) {
    const known = FIELDS.find((name) => name !== key && name === fold(key));
    if (known) throw new Problem(400, "key_case", `Write "${known}" exactly so.`, known);
  }
  const q: Question = { question: "", asker: "", person: "", source: "" };
  for (const name of FIELDS) {
    const value = Object.hasOwn(fields, name) ? (fields[name] ?? "") : "";
    if (typeof value !== "string") throw new Problem(400, "wrong_type", `"${name}" must be a string.`, name);
    if (/\p{Cs}/u.test(value)) throw new Problem(400, "invalid_json", `"${name}" holds half a character.`, name);
    q[name] = value;
  }
  for (const name of ["question", "asker"] as const) {
    if (q[name].trim() === "") throw new Problem(400, "missing_field", `Send "${name}".`, name);
  }
  for (const name of ["asker", "person", "source"] as const) {
    if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(q[name])) {
      throw new Problem(400, "invalid_field", `Send "${name}" without control characters.`, name);
    }
  }
  if ([...q.question].length > MAX_QUESTION) {
    throw new Problem(413, "question_too_long", "Ask in at most 4,000 characters.", "question");
  }
  q.person ||= q.asker;
  return q;
}

function timeLeft(req: IncomingMessage): number {
  const given = req.headers["x-ask-deadline"];
  if (given === undefined) return BUDGET;
  if (typeof given !== "string" || !/^\d+$/.test(given)) {
    throw new Problem(400, "invalid_field", "Send milliseconds in X-Ask-Deadline.", "X-Ask-Deadline");
  }
  return Math.min(BUDGET, Number(given) * 0.9);
}

/** The function's answer, or null with a reason a person understands; never late. */
async function decide(q: Question, left: number, gone: AbortSignal): Promise<Answer> {
  if (!maySee(q.asker, q.person)) return { answer: null, reason: "you may not see that person's data" };
  if (!PEOPLE.includes(q.person)) return { answer: null, reason: "no data for that person" };
  let timer: NodeJS.Timeout | undefined;
  const slow = new Promise<Answer>((resolve) => {
    timer = setTimeout(() => resolve({ answer: null, reason: "that took too long to look up" }), left);
  });
  try {
    return await Promise.race([answer(q, AbortSignal.any([gone, AbortSignal.timeout(left)])), slow]);
  } catch (cause) { // the cause goes to the log, never to the caller
    console.error(`${NAME}: ${String(cause).replaceAll(token, "[token]")}`);
    return { answer: null, reason: "something went wrong while looking that up" };
  } finally {
    clearTimeout(timer);
  }
}

function say(res: ServerResponse, value: unknown): void {
  const body = JSON.stringify(value);
  res.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) });
  res.end(body);
}

async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
  checkFraming(req);
  const path = (req.url ?? "").split("?")[0];
  const method = { "/health": "GET", "/capabilities": "GET", "/ask": "POST" }[path ?? ""];
  if (method === undefined) throw new Problem(404, "not_found", "There is nothing here.");
  if (req.method !== method) {
    throw new Problem(405, "method_not_allowed", `Use ${method} here.`, "", { Allow: method });
  }
  if (path === "/health") return say(res, { ok: true });
  checkToken(req); // before the body is read
  if (path === "/capabilities") return say(res, { project: NAME, topics: TOPICS, people: PEOPLE });
  const gone = new AbortController();
  res.on("close", () => gone.abort());
  const q = parse(await readBody(req));
  say(res, await decide(q, timeLeft(req), gone.signal));
}

const server = createServer({ headersTimeout: 5000, requestTimeout: 10000 }, (req, res) => {
  handle(req, res).catch((cause: unknown) => {
    if (!(cause instanceof Problem)) {
      res.destroy(); // the caller broke off
      return;
    }
    const body = cause.body();
    // The body may be unread, so the connection ends with each refusal.
    res.writeHead(cause.status, {
      "Content-Type": "application/problem+json", "Content-Length": Buffer.byteLength(body), Connection: "close", ...cause.headers,
    });
    res.end(body);
    req.resume();
  });
});

// What Node itself finds wrong with a request, both framings at once included.
server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const problem = new Problem(400, "malformed_request", "The request is not proper HTTP/1.1.");
  if (error.code === "HPE_HEADER_OVERFLOW") problem.status = 431;
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") problem.status = 408;
  const body = problem.body();
  socket.end(`HTTP/1.1 ${problem.status} ${TITLES[problem.status]}\r\nContent-Type: application/problem+json\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`);
});

const host = process.env.HOST ?? "127.0.0.1";
server.listen(port, host, () => console.error(`${NAME} is listening on http://${host}:${port}`));
process.on("SIGTERM", () => {
  server.close(() => process.exit(0));
  server.closeIdleConnections();
});
