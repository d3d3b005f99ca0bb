// Nothing that was written is lost, doubled or out of order.

import assert from "node:assert/strict";
import { BASE, answer, eventually, heldBack, knob, live, mend, posts, reply, scene, sees, sent, shown, spoil, tokenOf, write } from "./stage.mjs";

const limited = (ms) => ({ success: false, error: "rate limit: 20 messages in 10 minutes", code: "rate_limited", retry_after_ms: ms });
const texts = async () => (await posts()).map((post) => post.text);
const keys = async () => new Set((await posts()).map((post) => post.key));

scene("what is written offline is sent once and in order", { networkFaults: true }, async (profile) => {
  const page = await profile.open();
  await live(page);
  await write(page, "before");
  await sent(page);
  await profile.context.setOffline(true);
  await page.locator('#state[data-state="offline"]').waitFor();
  for (const text of ["one", "two", "three"]) await write(page, text);
  await sees(page, ["before", "one", "two", "three"]);
  assert.equal(await page.locator(".message.waiting").count(), 3);
  await reply(await tokenOf(page), "meanwhile");
  await profile.context.setOffline(false);
  await sent(page);
  await live(page);
  await sees(page, ["before", "meanwhile", "one", "two", "three"]);
  assert.deepEqual(await texts(), ["before", "one", "two", "three"]);
});

scene("a reload while sending leaves the message there once", { networkFaults: true }, async (profile) => {
  const page = await profile.open();
  await live(page);
  await spoil({ path: "post", do: "hold" });
  await write(page, "only once");
  await page.locator(".progress", { hasText: "Sending" }).waitFor();
  await page.reload();
  await sees(page, ["only once"]);
  await mend();
  await sent(page);
  await sees(page, ["only once"]);
  assert.equal((await keys()).size, 1);
  await page.reload();
  await sees(page, ["only once"]);
});

scene("an answer that is lost leaves the message there once", { networkFaults: true }, async (profile) => {
  const page = await profile.open();
  await live(page);
  await spoil({ path: "post", do: "lose", times: 2 });
  await page.evaluate(() => {
    window.most = 0;
    new MutationObserver(() => (window.most = Math.max(window.most, document.querySelectorAll(".message").length))).observe(document.body, { childList: true, subtree: true });
  });
  await write(page, "only once");
  await eventually(async () => assert.equal((await posts()).length, 3));
  await sent(page);
  await sees(page, ["only once"]);
  assert.equal(await page.evaluate(() => window.most), 1, "it was shown twice for a moment");
  assert.equal((await keys()).size, 1);
});

scene("a stream faster than the answer shows the message once", async (profile) => {
  const [page, other] = [await profile.open(), await profile.open()];
  await live(page);
  await live(other);
  await spoil({ path: "post", do: "lose", times: 1 });
  profile.networkFaults = true;
  await write(page, "the same");
  await write(page, "the same");
  await sees(page, ["the same", "the same"]);
  await sees(other, ["the same", "the same"]);
  await sent(page);
  await sees(page, ["the same", "the same"]);
  assert.equal((await keys()).size, 2);
});

scene("two tabs and a reload send what waits once and in order", { networkFaults: true }, async (profile) => {
  const [page, other] = [await profile.open(), await profile.open()];
  await live(page);
  await live(other);
  await spoil({ path: "post", do: "cut" });
  const all = Array.from({ length: 6 }, (_, i) => `text ${i}`);
  for (const [i, text] of all.entries()) {
    await write(i % 2 ? page : other, text);
    await sees(page, all.slice(0, i + 1));
  }
  await page.reload();
  await mend();
  await sees(page, all);
  await sees(other, all);
  await sent(page);
  await sent(other);
  await page.reload();
  await sees(page, all);
  assert.equal((await keys()).size, 6);
});

scene("what a closed tab left behind is sent by another", { networkFaults: true }, async (profile) => {
  const [page, other] = [await profile.open(), await profile.open()];
  await live(page);
  await live(other);
  await spoil({ path: "post", do: "hold", times: 1 });
  await write(other, "left behind");
  await sees(page, ["left behind"]);
  await other.close();
  await sent(page);
  await sees(page, ["left behind"]);
  assert.equal((await keys()).size, 1);
});

scene("4,000 characters go, counted as people count, and 4,001 do not", async (profile) => {
  const page = await profile.open();
  await live(page);
  const long = "😀".repeat(2000) + "é".repeat(2000);
  await page.locator("#text").fill(long + "x");
  await page.locator("#count", { hasText: "1 too many" }).waitFor();
  await page.locator("#send").click();
  await page.getByRole("alert").getByText("The text is 1 character too long.").waitFor();
  assert.equal((await page.locator("#text").inputValue()).length, 6001, "it was cut");
  assert.equal((await posts()).length, 0);
  await page.locator("#text").fill(long);
  await page.locator("#count", { hasText: "0 left" }).waitFor();
  await page.locator("#send").click();
  await sent(page);
  await sees(page, [long]);
  assert.deepEqual(await texts(), [long]);
});

scene("the count shows near the end only", async (profile) => {
  const page = await profile.open();
  for (const [length, words] of [[10, ""], [3599, ""], [3600, "400 left"], [4000, "0 left"], [5500, "1,500 too many"]]) {
    await page.locator("#text").fill("x".repeat(length));
    assert.equal(await page.locator("#count").textContent(), words);
  }
});

scene("NUL and half characters are refused and marked", async (profile) => {
  const page = await profile.open();
  await live(page);
  for (const [text, words, from] of [["a\u0000b", "NUL", 1], ["ok \ud83d here", "half of a character", 3]]) {
    await page.evaluate((value) => {
      document.querySelector("#text").value = value;
      document.querySelector("#text").dispatchEvent(new Event("input"));
    }, text);
    if ((await page.evaluate(() => document.querySelector("#text").value)) !== text) continue;
    await page.locator("#send").click();
    await page.getByRole("alert").getByText(words).waitFor();
    assert.deepEqual(await page.evaluate(() => [document.querySelector("#text").selectionStart, document.querySelector("#text").selectionEnd]), [from, from + 1]);
  }
  assert.equal((await posts()).length, 0);
  await page.locator("#text").fill(" \n ");
  await page.locator("#send").click();
  assert.deepEqual(await shown(page), []);
});

scene("a rate limit is waited out, and order kept", { networkFaults: true }, async (profile) => {
  const page = await profile.open();
  await live(page);
  await spoil(answer("post", 429, limited(2500), { times: 1 }));
  const start = performance.now();
  await write(page, "one");
  await write(page, "two");
  await page.locator(".progress", { hasText: /Rate limit: 20 messages in 10 minutes\. It is sent in \d seconds?\./ }).waitFor();
  await sent(page);
  assert.ok(performance.now() - start > 2400, "it did not wait as long as it was told");
  await sees(page, ["one", "two"]);
  assert.deepEqual(await texts(), ["one", "one", "two"]);
});

scene("what is refused says why, and can be sent again or removed", { networkFaults: true }, async (profile) => {
  const page = await profile.open();
  await live(page);
  await spoil(
    answer("post", 413, { success: false, error: "text too long (max 4000 chars)", code: "text_too_long" }, { times: 1 }),
    answer("post", 400, { success: false, error: "text: not like this", code: "bad_request" }, { times: 1 }),
    answer("post", 507, { success: false, error: "thread limit reached", code: "thread_limit" }, { times: 1 }),
  );
  for (const text of ["one", "two", "three", "four"]) await write(page, text);
  const failed = page.locator(".message.failed");
  await eventually(async () => assert.equal(await failed.count(), 3));
  assert.deepEqual(await failed.locator(".progress").allTextContents(), ["Not sent. Text too long (max 4000 chars).", "Not sent. Text: not like this.", "Not sent. Thread limit reached."]);
  await sees(page, ["four", "one", "two", "three"]);
  assert.match(await page.locator("#announcer").textContent(), /A message was not sent\. Thread limit reached\./);
  await page.reload();
  await sees(page, ["four", "one", "two", "three"]);
  await failed.nth(1).getByRole("button", { name: "Remove" }).click();
  await failed.nth(0).getByRole("button", { name: "Retry" }).click();
  await sees(page, ["four", "one", "three"]);
  assert.equal(await failed.count(), 1);
  assert.equal(await page.evaluate(() => document.activeElement.id), "text", "the focus is lost");
});

scene("a Hub that is down for a while is tried again", { networkFaults: true }, async (profile) => {
  const page = await profile.open();
  await live(page);
  await spoil(
    answer("post", 502, "<h1>Bad gateway</h1>", { times: 1, type: "text/html" }),
    answer("post", 503, { success: false, error: "starting", code: "unavailable", retry_after_ms: 300 }, { times: 1 }),
    answer("post", 200, "<h1>Log in to the hotel</h1>", { times: 1, type: "text/html" }),
    { path: "post", do: "cut", times: 1 },
  );
  await write(page, "patience");
  await sent(page);
  await sees(page, ["patience"]);
  assert.equal((await posts()).length, 5);
  assert.equal((await keys()).size, 1);
});

scene("what is written before the page is ready is kept, and sent when it is", async (profile) => {
  const page = await profile.newPage();
  const arrive = await heldBack(page, `${BASE}/chat`, "**/chat/main.mjs");
  await page.locator("#text").fill("early");
  assert.equal(await page.locator("#send").isDisabled(), true);
  arrive();
  await page.locator("#send").click();
  await sent(page);
  await sees(page, ["early"]);
  assert.equal(page.url(), `${BASE}/chat`);
});

scene("the draft outlives a reload", async (profile) => {
  const page = await profile.open();
  await page.locator("#text").fill("half a thought");
  await page.reload();
  assert.equal(await page.locator("#text").inputValue(), "half a thought");
  await live(page);
  await page.locator("#send").click();
  await sent(page);
  await page.reload();
  assert.equal(await page.locator("#text").inputValue(), "");
});

scene("a storage that is full is said, and the message goes all the same", async (profile) => {
  const page = await profile.open();
  await live(page);
  await page.evaluate(() => {
    let size = 5 << 20;
    for (let n = 0; size > 0; n++) {
      try {
        localStorage.setItem(`filler ${n}`, "x".repeat(size));
      } catch {
        size >>= 1;
      }
    }
  });
  await spoil({ path: "post", do: "hold" });
  await write(page, "no room");
  await page.getByText("This browser has no room left for the page.").waitFor();
  await mend();
  await sent(page);
  await sees(page, ["no room"]);
});
