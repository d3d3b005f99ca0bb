// llama.cpp as a small server of OpenAI's chat completions, for the tests with a real model:
//
//	node server.mjs MODEL.gguf
//
// It prints its address, and ends when its standard input does. One request at a time is
// worked on; the part of a prompt that the one before it had too is not read again.
import http from "node:http";
import path from "node:path";
import {
  getLlama, GeneralChatWrapper, LlamaChat, LlamaLogLevel, resolveChatWrapper,
} from "node-llama-cpp";

const file = process.argv[2];
// Threads wait for each other by spinning, so one that a busy machine holds up holds up all.
const threads = Number(process.env.ASKHUB_LLAMA_THREADS ?? 1);
const name = path.basename(file, ".gguf");
const llama = await getLlama({ gpu: false, build: "never", maxThreads: threads, logLevel: LlamaLogLevel.error });
const model = await llama.loadModel({ modelPath: file });
const context = await model.createContext({ contextSize: 8192, threads, batchSize: 512 });
const sequence = context.getSequence();
const chatWrapper = resolveChatWrapper(model) ?? new GeneralChatWrapper();
const chat = new LlamaChat({ contextSequence: sequence, chatWrapper });

let turn = Promise.resolve();

// oneAtATime runs work when all before it are done.
function oneAtATime(work) {
  const mine = turn.then(work, work);
  turn = mine.catch(() => {});
  return mine;
}

async function complete(ask, signal) {
  signal.throwIfAborted();
  const schema = ask.response_format?.json_schema?.schema;
  const grammar = schema && (await llama.createGrammarForJsonSchema(schema));
  const history = ask.messages.map((m) =>
    m.role === "system" ? { type: "system", text: m.content }
    : m.role === "user" ? { type: "user", text: m.content }
    : { type: "model", response: [m.content] });
  history.push({ type: "model", response: [] });
  const began = performance.now();
  const out = await chat.generateResponse(history, {
    grammar, signal, maxTokens: ask.max_tokens ?? 256, temperature: ask.temperature ?? 0, stopOnAbortSignal: false,
  });
  const took = Math.round(performance.now() - began);
  return {
    id: "chatcmpl-1", object: "chat.completion", created: Math.floor(Date.now() / 1000), model: name, took,
    choices: [{
      index: 0, message: { role: "assistant", content: out.response },
      finish_reason: out.metadata.stopReason === "maxTokens" ? "length" : "stop",
    }],
    usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
  };
}

const server = http.createServer(async (request, response) => {
  const send = (status, body) => {
    response.writeHead(status, { "Content-Type": "application/json" });
    response.end(JSON.stringify(body));
  };
  if (request.url === "/v1/models") {
    return send(200, { object: "list", data: [{ id: name, object: "model", created: 1, owned_by: "here" }] });
  }
  if (request.method !== "POST" || request.url !== "/v1/chat/completions") return send(404, { error: { message: "no such path" } });
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  try {
    const parts = [];
    for await (const part of request) parts.push(part);
    const ask = JSON.parse(Buffer.concat(parts).toString("utf8"));
    if (ask.model !== name) return send(404, { error: { message: `there is no model ${ask.model} here` } });
    send(200, await oneAtATime(() => complete(ask, gone.signal)));
  } catch (wrong) {
    if (!response.writableEnded) send(gone.signal.aborted ? 499 : 500, { error: { message: String(wrong) } });
  }
});

server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/v1`));
process.stdin.on("end", () => process.exit(0)).resume();
