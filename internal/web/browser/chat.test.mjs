// A chat as a person has it: writing, reading, pairing, taking it along.

import assert from "node:assert/strict";
import { BASE, Profile, answer, eventually, knob, live, posts, reply, scene, sees, sent, shown, spoil, tokenOf, write } from "./stage.mjs";

scene("a first visit makes a token, and a reload keeps it", async (profile) => {
  const page = await profile.open();
  const token = await tokenOf(page);
  assert.match(token, /^[0-9a-f]{64}$/);
  await page.reload();
  assert.equal(await tokenOf(page), token);
  await page.locator("#empty", { hasText: "Ask something." }).waitFor();
});

scene("a message is posted once, and the answer comes by itself", async (profile) => {
  const page = await profile.open();
  await live(page);
  await write(page, "What is on today?");
  await sent(page);
  await page.locator(".meta", { hasText: "Sent" }).waitFor();
  await page.locator("#awaiting", { hasText: "No answer comes before this chat is paired" }).waitFor();
  await page.locator("#awaiting-dots").waitFor({ state: "hidden" });
  await reply(await tokenOf(page), "Maths at 9:00.");
  await sees(page, ["What is on today?", "Maths at 9:00."]);
  await page.locator("#awaiting").waitFor({ state: "hidden" });
  const seen = await posts();
  assert.equal(seen.length, 1);
  assert.match(seen[0].key, /^[\x21-\x7e]{1,255}$/);
  assert.equal(await page.locator("#text").inputValue(), "");
});

scene("two tabs of a browser share the chat", async (profile) => {
  const [one, other] = [await profile.open(), await profile.open()];
  await live(one);
  await live(other);
  assert.equal(await tokenOf(one), await tokenOf(other));
  await write(one, "from the first");
  await sees(other, ["from the first"]);
  await write(other, "from the second");
  await sees(one, ["from the first", "from the second"]);
  await sees(other, ["from the first", "from the second"]);
  await sent(one);
  await sent(other);
  assert.equal(new Set((await posts()).map((post) => post.key)).size, 2);
});

scene("two tabs opened at once end with one token", async (profile) => {
  const [one, other] = await Promise.all([profile.open(), profile.open()]);
  await live(one);
  await live(other);
  await write(one, "hello");
  await sees(other, ["hello"]);
});

scene("text stays text, whatever stands in it", async (profile) => {
  const page = await profile.open();
  const texts = [
    '<img src=x onerror="document.title=\'broken\'">',
    "<script>alert(1)</script> & &amp; http://hub.test/ [a](b)",
    "Emoji 👨‍👩‍👧‍👦 🇬🇧 ❤️",
    "مرحبا، ما هو اليوم؟ 15:30",
    "line one\n\n  line three",
    "\u202e backwards, and on",
    "long".repeat(200),
  ];
  await live(page);
  for (const text of texts) {
    await write(page, text);
    await sent(page);
  }
  await sees(page, texts);
  await reply(await tokenOf(page), texts[0]);
  await sees(page, [...texts, texts[0]]);
  assert.equal(await page.locator("#messages img, #messages script, #messages a").count(), 0);
  assert.equal(await page.title(), "askhub chat");
  for (const row of await page.locator(".message .words").all()) assert.equal(await row.getAttribute("dir"), "auto");
  const arabic = page.locator(".message .words").nth(3);
  assert.equal(await arabic.evaluate((e) => getComputedStyle(e).direction), "rtl");
  assert.ok((await page.locator(".message .words").nth(4).boundingBox()).height > 60, "line breaks are kept");
  assert.equal(await page.evaluate(() => document.querySelector("#log").scrollWidth <= document.querySelector("#log").clientWidth), true);
});

scene("times are the reader's, and days are parted", { locale: "de-DE", timezoneId: "Pacific/Auckland" }, async (profile) => {
  const page = await profile.open();
  await live(page);
  await write(page, "hello");
  await sent(page);
  const time = page.locator(".message time");
  assert.match(await time.getAttribute("datetime"), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const moment = new Date(await time.getAttribute("datetime"));
  assert.equal(await time.textContent(), moment.toLocaleTimeString("de-DE", { hour: "numeric", minute: "2-digit", timeZone: "Pacific/Auckland" }));
  const day = moment.toLocaleDateString("de-DE", { weekday: "long", day: "numeric", month: "long", year: "numeric", timeZone: "Pacific/Auckland" });
  assert.deepEqual(await page.locator(".day").allTextContents(), [day]);
});

scene("a pairing code is shown, and turns into a name by itself", async (profile) => {
  const page = await profile.open();
  await live(page);
  await page.locator("#open-chat").click();
  const dialog = page.locator("#chat-dialog");
  await dialog.getByText("This chat speaks for nobody yet, so nothing is answered in it.").waitFor();
  await dialog.getByText("Once it is paired, the Hub answers here.").waitFor();
  await dialog.getByRole("button", { name: "Get a pairing code" }).click();
  await page.locator("#code-box").waitFor();
  const code = (await page.locator("#code").textContent()).replace(" ", "");
  assert.match(code, /^\d{8}$/);
  assert.match(await page.locator("#code").textContent(), /^\d{4} \d{4}$/);
  assert.equal(await page.locator("#code-command").textContent(), `askhub chat pair ${code} NAME`);
  assert.match(await page.locator("#code-left").textContent(), /^It holds for (10 min|9 min \d+ s)\.$/);
  await knob({ do: "pair", code, named: "Sam" });
  await dialog.getByText("Paired with Sam.").waitFor();
  await dialog.getByText("The Hub answers here.", { exact: true }).waitFor();
  await page.locator("#code-box").waitFor({ state: "hidden" });
  assert.equal(await page.locator("#speaks-for").textContent(), "for Sam");
  assert.match(await page.locator("#announcer").textContent(), /Paired with Sam\./);
  await page.reload();
  await page.locator("#speaks-for", { hasText: "for Sam" }).waitFor();
  await page.keyboard.press("Escape");
  await write(page, "hello");
  await page.locator("#awaiting", { hasText: "Waiting for an answer" }).waitFor();
  await page.locator("#awaiting-dots").waitFor();
});

scene("a pairing code that is refused says so", { networkFaults: true }, async (profile) => {
  const page = await profile.open();
  await live(page);
  await page.locator("#open-chat").click();
  await page.locator("#ask-code").waitFor();
  await spoil({ path: "pair", do: "answer", status: 429, type: "application/json", body: JSON.stringify({ success: false, error: "too many codes from this address", code: "rate_limited", retry_after_ms: 90000 }) });
  await page.locator("#ask-code").click();
  await page.locator("#pairing-fault", { hasText: "There is no code now. Too many codes from this address. Try again in 90 seconds." }).waitFor();
});

scene("a code that has run out can be asked for anew", { networkFaults: true }, async (profile) => {
  const page = await profile.newPage();
  await page.clock.install();
  await page.goto(`${BASE}/chat`);
  await live(page);
  await page.locator("#open-chat").click();
  await page.locator("#ask-code").waitFor();
  const expires = new Date(Date.now() + 600_000).toISOString();
  await spoil(answer("pair", 201, { success: true, thread: "a", answers: "host", code: "12345678", expires }));
  await page.locator("#ask-code").click();
  await page.locator("#code", { hasText: "1234 5678" }).waitFor();
  // The Hub cannot be asked any more, so that it is the page's own count that ends.
  await spoil(answer("pair", 503, { success: false, error: "not now" }));
  await page.clock.fastForward(600_000);
  await page.getByText("The code has run out.").waitFor();
  await page.getByRole("button", { name: "Get a new pairing code" }).waitFor();
});

scene("the token and its QR code are shown when asked for", async (profile) => {
  const page = await profile.open();
  await live(page);
  await page.locator("#open-chat").click();
  assert.equal(await page.locator("#token").isVisible(), false);
  await page.locator("#take summary").click();
  assert.equal(await page.locator("#token").inputValue(), await tokenOf(page));
  const image = page.getByAltText("QR code of the link to this chat");
  await image.waitFor();
  assert.match(await image.getAttribute("src"), /^blob:/);
  assert.ok(await image.evaluate((e) => e.complete && e.naturalWidth > 0));
  await profile.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Copy the token" }).click();
  await page.getByText("Copied.").waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await tokenOf(page));
});

scene("a QR code that does not come says why", { networkFaults: true }, async (profile) => {
  const page = await profile.open();
  await live(page);
  await spoil({ path: "qr", do: "answer", status: 503, type: "application/json", body: JSON.stringify({ success: false, error: "not ready", code: "unavailable" }), times: 1 });
  await page.locator("#open-chat").click();
  await page.locator("#take summary").click();
  await page.locator("#qr", { hasText: "There is no QR code now. Not ready." }).waitFor();
  await page.locator("#take summary").click();
  await page.locator("#take summary").click();
  await page.locator("#qr img").waitFor();
});

scene("a chat is taken along by its link", async (profile) => {
  const page = await profile.open();
  await live(page);
  await write(page, "from the first device");
  await sent(page);
  const token = await tokenOf(page);
  const other = await Profile.make();
  const there = await other.open(`${BASE}/chat#token=${token}`);
  assert.equal(there.url(), `${BASE}/chat`, "the token stays in the address");
  // A link may be somebody else's, who would read along: it is asked about first.
  const question = there.locator("#question-dialog");
  await question.getByText("Whoever made the link or the token can read this chat").waitFor();
  assert.notEqual(await tokenOf(there), token);
  await question.getByRole("button", { name: "Cancel" }).click();
  const own = await tokenOf(there);
  assert.notEqual(own, token);
  await there.goto(`${BASE}/chat#token=${token}`);
  await question.getByRole("button", { name: "Bring it here" }).click();
  await sees(there, ["from the first device"]);
  assert.equal(await tokenOf(there), token);
  assert.equal(there.url(), `${BASE}/chat`, "the token stays in the address");
  await there.getByText("The chat from your other device is here now.").waitFor();
  await write(there, "from the second device");
  await sees(page, ["from the first device", "from the second device"]);
  await other.close();
});

scene("a device with a chat of its own is asked first", async (profile) => {
  const page = await profile.open();
  await live(page);
  await write(page, "my own");
  await sent(page);
  const own = await tokenOf(page);
  const brought = "0123456789abcdef".repeat(4);
  await page.goto(`${BASE}/chat#token=${brought}`);
  const question = page.locator("#question-dialog");
  await question.getByText("Bring the other chat here?").waitFor();
  assert.equal(page.url(), `${BASE}/chat`);
  await question.getByRole("button", { name: "Cancel" }).click();
  assert.equal(await tokenOf(page), own);
  await sees(page, ["my own"]);
  // The same through the panel, and with yes.
  await page.locator("#open-chat").click();
  await page.locator("#bring summary").click();
  await page.getByLabel("Token, or the link from the QR code").fill("nonsense");
  await page.getByRole("button", { name: "Bring it here" }).click();
  await page.locator("#bring-fault", { hasText: "it must be 64 characters" }).waitFor();
  await page.getByLabel("Token, or the link from the QR code").fill(`${BASE}/chat#token=${brought}`);
  await page.locator("#bring-form button").click();
  await question.getByRole("button", { name: "Bring it here" }).click();
  await sees(page, []);
  assert.equal(await tokenOf(page), brought);
  assert.deepEqual(await page.evaluate((label) => Object.keys(localStorage).filter((name) => name.includes(label)), own.slice(0, 16)), [], "the old chat is kept");
});

scene("a malformed link says so and changes nothing", async (profile) => {
  const page = await profile.open(`${BASE}/chat#token=ABC`);
  await page.getByText("The link's token is malformed").waitFor();
  assert.equal(page.url(), `${BASE}/chat`);
  assert.match(await tokenOf(page), /^[0-9a-f]{64}$/);
});

scene("a new chat is begun after asking, in every tab", async (profile) => {
  const [page, other] = [await profile.open(), await profile.open()];
  await live(page);
  await write(page, "old");
  await sees(other, ["old"]);
  const old = await tokenOf(page);
  await page.locator("#open-chat").click();
  await page.locator("#new-chat").click();
  await page.locator("#question-no").click();
  assert.equal(await tokenOf(page), old);
  await page.locator("#new-chat").click();
  await page.locator("#question-yes").click();
  await sees(page, []);
  await sees(other, []);
  await other.getByText("Another tab changed the chat of this browser.").waitFor();
  assert.notEqual(await tokenOf(page), old);
  await write(other, "new");
  await sees(page, ["new"]);
  const names = await page.evaluate(() => Object.keys(localStorage));
  assert.deepEqual(names.filter((name) => name.includes(old.slice(0, 16))), [], "the old chat is kept");
});

scene("kept messages are forgotten on request, and later ones kept", async (profile) => {
  const page = await profile.open();
  await live(page);
  const token = await tokenOf(page);
  const kept = () => page.evaluate((label) => JSON.parse(localStorage.getItem(`askhub.chat.${label}.kept`))?.messages.map((m) => m.text) ?? [], token.slice(0, 16));
  for (let i = 0; i < 55; i++) await reply(token, `text ${i}`);
  await page.getByText("text 54", { exact: true }).waitFor();
  await eventually(async () => assert.deepEqual(await kept(), Array.from({ length: 50 }, (_, i) => `text ${i + 5}`)));
  await page.locator("#open-chat").click();
  await page.getByText("This device keeps the last 50 messages").waitFor();
  await page.locator("#forget").click();
  await page.getByText("Forgotten.").waitFor();
  assert.deepEqual(await kept(), []);
  await page.locator("#chat-dialog .close").click();
  await reply(token, "later");
  await eventually(async () => assert.deepEqual(await kept(), ["later"]));
  await page.reload();
  await eventually(async () => assert.equal((await shown(page)).length, 50, "the Hub still has them"));
  assert.deepEqual(await kept(), ["later"]);
});
