// For everybody: by keyboard, by ear, on a small screen, enlarged, in the dark.

import assert from "node:assert/strict";
import { AxeBuilder } from "@axe-core/playwright";
import { answer, eventually, knob, live, mend, posts, reply, scene, sees, sent, spoil, tokenOf, write } from "./stage.mjs";

const SIZES = [{ width: 320, height: 640 }, { width: 390, height: 844 }, { width: 1280, height: 800 }];

async function clean(page, where) {
  const { violations } = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]).analyze();
  const found = violations.flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.target} ${n.failureSummary}`));
  assert.deepEqual(found, [], where);
}

async function noSidewaysScroll(page, where) {
  const wide = await page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const boxes = [document.documentElement, document.querySelector("#log"), ...document.querySelectorAll("dialog[open]")];
    return boxes.filter((box) => box.scrollWidth > box.clientWidth || box.getBoundingClientRect().right > width + 0.5).map((box) => box.id || box.tagName);
  });
  assert.deepEqual(wide, [], where);
}

// everyState goes through the page's states and dialogues.
async function everyState(page, look) {
  await live(page);
  await look("empty");
  const token = await tokenOf(page);
  await write(page, "What is on today?\n" + "long".repeat(60));
  await sent(page);
  await reply(token, "Maths at 9:00. https://hub.test/" + "a".repeat(300));
  await page.locator('.message[data-author="hermes"]').waitFor();
  await spoil(
    answer("post", 400, { success: false, error: "text: not like this", code: "bad_request" }, { times: 1 }),
    answer("post", 429, { success: false, error: "rate limit", code: "rate_limited", retry_after_ms: 60_000 }),
  );
  await write(page, "refused");
  await write(page, "waits");
  await page.locator(".progress", { hasText: "Rate limit" }).waitFor();
  await page.locator("#text").fill("x".repeat(4100));
  await page.locator("#send").click();
  await page.locator("#fault", { hasText: "too long" }).waitFor();
  await look("talk");
  await page.locator("#text").fill("");
  await mend();
  await page.locator("#open-chat").click();
  await page.locator("#ask-code").click();
  await page.locator("#code-box").waitFor();
  await page.locator("#take summary").click();
  await page.locator("#qr img").waitFor();
  await page.locator("#bring summary").click();
  await page.locator("#bring-form button").click();
  await look("this chat");
  await page.locator("#new-chat").click();
  await look("question");
  await page.keyboard.press("Escape");
  await page.locator("#chat-dialog .close").click();
  await page.locator("#open-settings").click();
  await page.locator("#voice-in").check();
  await look("settings");
  await page.keyboard.press("Escape");
  await look("with the microphone");
  await page.goto(page.url() + "#token=x");
  await page.locator(".notice").waitFor();
  await look("a notice");
}

for (const colorScheme of ["light", "dark"]) {
  for (const viewport of SIZES) {
    scene(`nobody is left out: ${colorScheme}, ${viewport.width} wide`, { colorScheme, viewport, networkFaults: true }, async (profile) => {
      const page = await profile.open();
      await everyState(page, async (where) => {
        await clean(page, where);
        await noSidewaysScroll(page, where);
      });
    });
  }
}

scene("enlarged to 400 % everything can be reached", { viewport: { width: 320, height: 256 }, networkFaults: true }, async (profile) => {
  const page = await profile.open();
  await everyState(page, (where) => noSidewaysScroll(page, where));
  await page.locator("#text").scrollIntoViewIfNeeded();
  await write(page, "reached");
  await page.getByText("reached", { exact: true }).waitFor();
});

scene("letters twice as large stay in the page", { viewport: { width: 320, height: 640 }, init: () => addEventListener("DOMContentLoaded", () => document.documentElement.style.setProperty("font-size", "200%")) }, async (profile) => {
  const page = await profile.open();
  await live(page);
  await write(page, "What is on today?");
  await sent(page);
  await noSidewaysScroll(page, "200 %");
  await page.locator("#open-chat").click();
  await noSidewaysScroll(page, "200 %, this chat");
});

scene("everything goes by keyboard", async (profile) => {
  const page = await profile.open();
  await live(page);
  const focus = () => page.evaluate(() => document.activeElement.id || document.activeElement.textContent);
  assert.equal(await focus(), "text");
  await page.keyboard.type("line one");
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.type("line two");
  await page.keyboard.press("Enter");
  await sees(page, ["line one\nline two"]);
  await sent(page);
  assert.equal(await focus(), "text");
  await page.keyboard.press("Tab");
  assert.equal(await focus(), "send");
  for (const want of ["text", "log", "open-settings", "open-chat"]) {
    await page.keyboard.press("Shift+Tab");
    assert.equal(await focus(), want);
    const ring = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
    assert.notEqual(ring, "none", `${want} shows no focus`);
  }
  await page.keyboard.press("Enter");
  await page.locator("#chat-dialog").waitFor();
  assert.ok(await page.evaluate(() => document.querySelector("#chat-dialog").contains(document.activeElement)));
  await page.locator("#ask-code").focus();
  await page.keyboard.press("Enter");
  await page.locator("#code").waitFor();
  await page.locator("#take summary").focus();
  await page.keyboard.press("Space");
  await page.locator("#qr img").waitFor();
  await page.locator("#new-chat").focus();
  await page.keyboard.press("Enter");
  await page.locator("#question-dialog").waitFor();
  assert.equal(await focus(), "question-no");
  await page.keyboard.press("Escape");
  await page.locator("#question-dialog").waitFor({ state: "hidden" });
  assert.ok(await page.locator("#chat-dialog").isVisible(), "Escape closed both");
  await page.keyboard.press("Escape");
  await page.locator("#chat-dialog").waitFor({ state: "hidden" });
  assert.equal(await focus(), "open-chat", "the focus comes back");
});

scene("an input method's Enter does not send", async (profile) => {
  const page = await profile.open();
  await live(page);
  await page.locator("#text").fill("にほん");
  await page.evaluate(() => {
    const text = document.querySelector("#text");
    text.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", isComposing: true, cancelable: true }));
    text.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", keyCode: 229, cancelable: true }));
  });
  assert.equal(await page.locator("#text").inputValue(), "にほん");
  assert.equal((await posts()).length, 0);
});

scene("on a touch keyboard Enter is a new line", { hasTouch: true, isMobile: true }, async (profile) => {
  const page = await profile.open();
  await live(page);
  await page.locator("#text").tap();
  await page.keyboard.type("one");
  await page.keyboard.press("Enter");
  await page.keyboard.type("two");
  assert.equal(await page.locator("#text").inputValue(), "one\ntwo");
  assert.equal(await page.locator("#text").getAttribute("enterkeyhint"), "enter");
  await page.locator("#send").tap();
  await sees(page, ["one\ntwo"]);
});

scene("only what is new is read out, and not what one wrote oneself", async (profile) => {
  const page = await profile.open();
  await live(page);
  const token = await tokenOf(page);
  await reply(token, "history");
  await sees(page, ["history"]);
  await page.reload();
  await sees(page, ["history"]);
  await live(page);
  await write(page, "mine");
  await sent(page);
  const said = () => page.locator("#announcer p").allTextContents();
  assert.deepEqual(await said(), []);
  await reply(token, "the answer");
  await eventually(async () => assert.deepEqual(await said(), ["askhub: the answer"]));
  const roles = await page.evaluate(() => [document.querySelector("#log").getAttribute("role"), document.querySelector("#announcer").getAttribute("aria-live")]);
  assert.deepEqual(roles, ["log", "polite"]);
  profile.networkFaults = true;
  await profile.context.setOffline(true);
  for (let i = 0; i < 5; i++) await reply(token, `text ${i}`);
  await knob({ do: "drop" });
  await profile.context.setOffline(false);
  await page.locator(".words", { hasText: "text 4" }).waitFor();
  await eventually(async () => assert.match((await said()).join("|"), /text 4|new messages/));
});

scene("nothing moves for who wants it still", { reducedMotion: "reduce" }, async (profile) => {
  const page = await profile.open();
  await live(page);
  await write(page, "hello");
  await page.locator("#awaiting").waitFor();
  assert.equal(await page.locator(".dots i").first().evaluate((e) => getComputedStyle(e).animationName), "none");
});
