// The official OpenAI client for JavaScript against a running Hub: ASKHUB_URL, ASKHUB_TOKEN.
import assert from "node:assert/strict";
import OpenAI from "openai";

const baseURL = process.env.ASKHUB_URL + "/v1";
const client = new OpenAI({ baseURL, apiKey: process.env.ASKHUB_TOKEN, maxRetries: 0 });
const ask = (content, more = {}) => client.chat.completions.create({ model: "askhub", messages: [{ role: "user", content }], ...more });

assert.deepEqual((await client.models.list()).data.map((m) => m.id), ["askhub"]);

const whole = await ask("what does Harry have on today?");
const answer = whole.choices[0].message.content;
assert.match(answer, /Harry has/);
assert.match(whole.id, /^ask_/);
assert.equal(whole._request_id, whole.id);

let said = "";
let end;
for await (const chunk of await ask("what does Harry have on today?", { stream: true })) {
  said += chunk.choices[0].delta.content ?? "";
  end = chunk.choices[0].finish_reason ?? end;
}
assert.equal(said, answer);
assert.equal(end, "stop");

assert.equal((await ask("turn off the kids' internet")).choices[0].message.content, "Use the admin app to change internet limits.");

const picture = [{ type: "image_url", image_url: { url: "data:image/png;base64,AA==" } }];
await assert.rejects(ask(picture), (e) => e instanceof OpenAI.BadRequestError && e.code === "invalid_field" && e.param === "messages.0.content.0.type");
await assert.rejects(client.chat.completions.create({ model: "askhub", messages: [{ role: "system", content: "hi" }] }), OpenAI.BadRequestError);
await assert.rejects(ask("hi", { user: "emma" }), (e) => e instanceof OpenAI.PermissionDeniedError && e.code === "asker_not_allowed");
await assert.rejects(new OpenAI({ baseURL, apiKey: "x".repeat(40), maxRetries: 0 }).models.list(), OpenAI.AuthenticationError);

console.log("fine");
