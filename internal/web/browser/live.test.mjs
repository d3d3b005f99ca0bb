// Keeping up, whatever becomes of the connection.

import assert from "node:assert/strict";
import { answer, eventually, knob, live, mend, reply, scene, sees, sent, spoil, tokenOf, write } from "./stage.mjs";

const state = (page, name) => page.locator(`#state[data-state="${name}"]`).waitFor();

scene("a stream that breaks is taken up where it was", { networkFaults: true }, async (profile) => {
  const page = await profile.open();
  await live(page);
  const token = await tokenOf(page);
  const all = [];
  for (let i = 0; i < 2; i++) {
    await reply(token, `before ${i}`);
    await knob({ do: "drop" });
    await reply(token, `after ${i}`);
    all.push(`before ${i}`, `after ${i}`);
    await sees(page, all);
  }
  await live(page);
});

scene("where nothing streams, polling does", { networkFaults: true }, async (profile) => {
  await spoil(answer("stream", 404, "not here", { type: "text/plain" }));
  const page = await profile.open();
  await state(page, "polling");
  await write(page, "hello");
  await sent(page);
  await reply(await tokenOf(page), "answered");
  await sees(page, ["hello", "answered"]);
});

scene("a stream that is held back is given up for polling", async (profile) => {
  await spoil({ path: "stream", do: "silent" });
  const page = await profile.open();
  await reply(await tokenOf(page), "hello");
  await page.locator(".words", { hasText: "hello" }).waitFor();
  await state(page, "polling");
});

scene("streams that end at once are given up for polling", { networkFaults: true }, async (profile) => {
  await spoil(answer("stream", 200, "", { type: "text/event-stream" }));
  const page = await profile.open();
  await state(page, "polling");
  await reply(await tokenOf(page), "hello");
  await sees(page, ["hello"]);
});

scene("a Hub that is away is said quietly, and it comes back", { networkFaults: true }, async (profile) => {
  const page = await profile.open();
  await live(page);
  await spoil({ path: "*", do: "cut" });
  await knob({ do: "drop" });
  await page.getByText("Trying to reach the Hub").waitFor();
  await reply(await tokenOf(page), "while it was away");
  await mend();
  await sees(page, ["while it was away"]);
  await live(page);
});

scene("a refusal is shown in the Hub's words", { networkFaults: true }, async (profile) => {
  await spoil(answer("*", 410, { success: false, error: "this chat has moved", code: "gone" }));
  const page = await profile.open();
  await state(page, "refused");
  assert.equal(await page.locator("#state").textContent(), "this chat has moved");
});

scene("a chat that was emptied on the host is empty here", async (profile) => {
  const page = await profile.open();
  await live(page);
  const token = await tokenOf(page);
  await reply(token, "old");
  await sees(page, ["old"]);
  await knob({ do: "empty", token });
  await page.reload();
  await sees(page, []);
  await reply(token, "new");
  await sees(page, ["new"]);
});

scene("more than fifty that came meanwhile are all there", async (profile) => {
  const page = await profile.open();
  await live(page);
  const token = await tokenOf(page);
  await reply(token, "first");
  await sees(page, ["first"]);
  await page.goto("about:blank");
  const all = ["first"];
  for (let i = 0; i < 70; i++) {
    await reply(token, `text ${i}`);
    all.push(`text ${i}`);
  }
  await page.goBack();
  await sees(page, all);
});

scene("who reads above is not moved, and hears of new messages", async (profile) => {
  const page = await profile.open();
  await live(page);
  const token = await tokenOf(page);
  for (let i = 0; i < 40; i++) await reply(token, `text ${i}`);
  await page.getByText("text 39", { exact: true }).waitFor();
  const log = page.locator("#log");
  const atEnd = () => log.evaluate((e) => e.scrollHeight - e.scrollTop - e.clientHeight < 2);
  await eventually(async () => assert.ok(await atEnd()));
  await log.evaluate((e) => (e.scrollTop = 300));
  const before = await page.getByText("text 8", { exact: true }).boundingBox();
  await reply(token, "new one");
  await page.getByRole("button", { name: "1 new message" }).waitFor();
  await reply(token, "new two");
  const button = page.getByRole("button", { name: "2 new messages" });
  await button.waitFor();
  assert.equal((await page.getByText("text 8", { exact: true }).boundingBox()).y, before.y);
  await button.click();
  await eventually(async () => assert.ok(await atEnd()));
  await button.waitFor({ state: "hidden" });
  await reply(token, "new three");
  await page.getByText("new three", { exact: true }).waitFor();
  await eventually(async () => assert.ok(await atEnd(), "who reads the newest stays with it"));
});

scene("who reads above is not moved by what is put in further up", async (profile) => {
  const page = await profile.open();
  const moved = await page.evaluate(async () => {
    const { LogView } = await import("/chat/log.mjs");
    const log = document.querySelector("#log").cloneNode(true);
    const list = log.querySelector("ol");
    document.querySelector("#log").replaceWith(log);
    const view = new LogView({ log, list, button: document.createElement("button"), act: {} });
    const messages = Array.from({ length: 80 }, (_, n) => ({ id: `MSG-${n}`, epoch: 1e12 + n, author: "hermes", text: `text ${n}` }));
    const late = messages.filter((_, n) => n % 3 === 0 && n < 12);
    view.show(messages.filter((message) => !late.includes(message)), []);
    log.scrollTop = 1500;
    await new Promise((done) => log.addEventListener("scroll", done, { once: true }));
    const read = [...list.children].find((row) => row.getBoundingClientRect().top > 200);
    const before = read.getBoundingClientRect().top;
    view.show(messages, []);
    return { by: read.getBoundingClientRect().top - before, rows: list.children.length };
  });
  assert.equal(moved.rows, 81);
  assert.ok(Math.abs(moved.by) < 1, `it moved by ${moved.by} pixels`);
});

scene("what an agent wrote says so", async (profile) => {
  const page = await profile.open();
  await live(page);
  await reply(await tokenOf(page), "I looked it up.", "agent");
  await page.locator('.message[data-author="agent"] .who', { hasText: "The AI in the page" }).waitFor();
  await page.locator("#awaiting").waitFor();
});

scene("a tab that nobody sees counts in its title, and gives its stream back", async (profile) => {
  const page = await profile.open();
  await page.clock.install();
  await page.reload();
  await live(page);
  const token = await tokenOf(page);
  const hide = (hidden) =>
    page.evaluate((value) => {
      Object.defineProperty(document, "visibilityState", { value, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }, hidden ? "hidden" : "visible");
  await hide(true);
  await page.clock.runFor(16_000);
  await eventually(async () => assert.equal((await knob({ do: "seen" })).streams, 0));
  await reply(token, "unseen");
  await eventually(async () => {
    await page.clock.runFor(31_000);
    assert.equal(await page.title(), "(1) askhub chat");
  });
  await hide(false);
  assert.equal(await page.title(), "askhub chat");
  await live(page);
  assert.equal((await knob({ do: "seen" })).streams, 1);
  await sees(page, ["unseen"]);
});

scene("a clock that is years off does not matter", {
  init: () => {
    const Real = Date;
    const off = -6 * 365 * 86_400_000;
    globalThis.Date = class extends Real {
      constructor(...args) {
        if (args.length > 0) super(...args);
        else super(Real.now() + off);
      }
      static now() {
        return Real.now() + off;
      }
    };
  },
}, async (profile) => {
  const page = await profile.open();
  await live(page);
  await write(page, "one");
  await sent(page);
  await reply(await tokenOf(page), "two");
  await write(page, "three");
  await sent(page);
  await sees(page, ["one", "two", "three"]);
  const year = new Date().getFullYear();
  assert.ok((await page.locator(".day").textContent()).includes(String(year)), "the day is the Hub's");
  await page.locator("#open-chat").click();
  await page.locator("#ask-code").click();
  await page.locator("#code-left", { hasText: /^It holds for (10 min|9 min \d+ s)\.$/ }).waitFor();
});
