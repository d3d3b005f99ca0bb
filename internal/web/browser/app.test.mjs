// As an app, by voice, without a secure context, and where nothing may be kept.

import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { BASE, LAUNCH, PLAIN, eventually, knob, live, posts, reply, scene, sees, sent, tokenOf, write } from "./stage.mjs";

async function worker(page) {
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    while (!navigator.serviceWorker.controller) await new Promise((done) => navigator.serviceWorker.addEventListener("controllerchange", done, { once: true }));
  });
}

scene("the page opens offline, with the last messages, and sends later", { networkFaults: true }, async (profile) => {
  const page = await profile.open();
  await live(page);
  await write(page, "hello");
  await sent(page);
  await reply(await tokenOf(page), "answered");
  await sees(page, ["hello", "answered"]);
  await worker(page);
  await profile.context.setOffline(true);
  await page.goto("about:blank");
  await page.goto(`${BASE}/chat`);
  await sees(page, ["hello", "answered"]);
  await page.locator('#state[data-state="offline"]').waitFor();
  await write(page, "later");
  await page.reload();
  await sees(page, ["hello", "answered", "later"]);
  await profile.context.setOffline(false);
  await sent(page);
  await sees(page, ["hello", "answered", "later"]);
  assert.deepEqual((await posts()).map((post) => post.text), ["hello", "later"]);
});

scene("only the page's own files are in the cache", async (profile) => {
  const page = await profile.open();
  await live(page);
  await write(page, "secret");
  await sent(page);
  await worker(page);
  await page.reload();
  await live(page);
  const kept = await page.evaluate(async () => {
    const names = await caches.keys();
    const all = await Promise.all(names.map(async (name) => (await (await caches.open(name)).keys()).map((request) => new URL(request.url).pathname)));
    return { names, paths: all.flat() };
  });
  assert.equal(kept.names.length, 1);
  assert.match(kept.names[0], /^askhub-chat-[0-9a-f]{16}$/);
  assert.ok(kept.paths.includes("/chat") && kept.paths.includes("/chat/main.mjs"));
  for (const path of kept.paths) assert.ok(path === "/chat" || (path.startsWith("/chat/") && !path.endsWith("sw.js")), path);
});

scene("a new version waits until it is asked for, and takes over cleanly", async (profile) => {
  const page = await profile.open();
  await live(page);
  await worker(page);
  await page.locator("#text").fill("half a thought");
  await knob({ do: "release" });
  await page.evaluate(() => navigator.serviceWorker.getRegistration("/chat").then((registration) => registration.update()));
  const notice = page.locator(".notice", { hasText: "A new version of this page is ready." });
  await notice.waitFor();
  const reloaded = page.waitForNavigation();
  await notice.getByRole("button", { name: "Reload" }).click();
  await reloaded;
  await live(page);
  assert.equal(await page.locator("#text").inputValue(), "half a thought");
  assert.equal(await page.evaluate(() => navigator.serviceWorker.getRegistration("/chat").then((r) => r.waiting)), null);
  assert.equal((await page.evaluate(() => caches.keys())).length, 1);
});

scene("the manifest is one that installs", async (profile) => {
  const page = await profile.open();
  await worker(page);
  const devtools = await profile.context.newCDPSession(page);
  const { errors, data } = await devtools.send("Page.getAppManifest");
  assert.deepEqual(errors, []);
  assert.equal(JSON.parse(data).start_url, "/chat");
  const { installabilityErrors } = await devtools.send("Page.getInstallabilityErrors");
  // A test's profile is a private one, which never installs.
  assert.deepEqual(installabilityErrors.map((e) => e.errorId).filter((id) => id !== "in-incognito"), []);
});

scene("installing is offered where the browser offers it", async (profile) => {
  const page = await profile.open();
  await page.evaluate(() => dispatchEvent(Object.assign(new Event("beforeinstallprompt", { cancelable: true }), { prompt: () => (window.prompted = true) })));
  await page.locator("#open-settings").click();
  await page.locator("#install").click();
  assert.equal(await page.evaluate(() => window.prompted), true);
  await page.evaluate(() => dispatchEvent(new Event("appinstalled")));
  await page.getByText("Installed.").waitFor();
});

scene("without a secure address the chat works, and says what does not", async (profile) => {
  const page = await profile.open(`${PLAIN}/chat`);
  assert.equal(await page.evaluate(() => isSecureContext), false);
  await live(page);
  await write(page, "hello");
  await sent(page);
  await reply(await tokenOf(page), "answered");
  await sees(page, ["hello", "answered"]);
  await page.locator("#open-settings").click();
  const settings = page.locator("#settings-dialog");
  await settings.getByText("The microphone needs a secure address (https), and this is none.").waitFor();
  await settings.getByText("Installing needs a secure address (https), and this is none.").waitFor();
  await settings.getByText("without a connection needs a secure address (https)").waitFor();
  assert.equal(await page.locator("#voice-in").isDisabled(), true);
  await page.keyboard.press("Escape");
  await page.locator("#open-chat").click();
  await page.locator("#take summary").click();
  await page.getByText("A copy button needs a secure address (https), and this is none.").waitFor();
  await page.locator("#qr img").waitFor();
});

scene("where nothing may be kept the chat lasts as long as its tab", async () => {
  // A real profile, since only its preferences block what a page keeps.
  const folder = await mkdtemp(join(tmpdir(), "askhub-chat-"));
  await mkdir(join(folder, "Default"));
  await writeFile(join(folder, "Default", "Preferences"), JSON.stringify({ profile: { default_content_setting_values: { cookies: 2 } } }));
  const context = await chromium.launchPersistentContext(folder, LAUNCH);
  try {
    const page = await context.newPage();
    const faults = [];
    page.on("pageerror", (error) => faults.push(error.stack));
    page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
    await page.goto(`${BASE}/chat`);
    assert.equal(await page.evaluate(() => { try { return localStorage.length; } catch { return "blocked"; } }), "blocked");
    await page.getByText("the chat lasts only as long as this tab").waitFor();
    await live(page);
    await write(page, "hello");
    await sent(page);
    await page.locator("#open-chat").click();
    await page.locator("#take summary").click();
    await reply(await page.locator("#token").inputValue(), "answered");
    await page.locator("#chat-dialog .close").click();
    await sees(page, ["hello", "answered"]);
    await page.locator("#open-settings").click();
    await page.getByText("This browser keeps nothing for this page.").waitFor();
    assert.deepEqual(faults, []);
  } finally {
    await context.close();
    await rm(folder, { recursive: true, force: true });
  }
});

// Chromium without a window has neither ears nor a voice: these stand in, by the same
// interfaces.
const VOICE = () => {
  window.said = [];
  window.SpeechRecognition = class {
    start() {
      window.listening = this;
    }
    stop() {
      window.listening = null;
      this.onend();
    }
  };
  window.SpeechSynthesisUtterance = class {
    constructor(text) {
      this.text = text;
    }
  };
  Object.defineProperty(window, "speechSynthesis", {
    value: {
      speak(utterance) {
        window.said.push(utterance.text);
        window.ends = () => utterance.onend();
      },
      cancel() {
        window.cancelled = true;
      },
    },
  });
};

scene("a message is spoken where that is switched on", { init: VOICE }, async (profile) => {
  const page = await profile.open();
  await live(page);
  const button = page.getByRole("button", { name: "Speak the message" });
  assert.equal(await button.isVisible(), false, "it is off until it is switched on");
  await page.locator("#open-settings").click();
  await page.getByLabel("Speak my messages").check();
  await page.keyboard.press("Escape");
  await page.locator("#text").fill("Hello");
  await button.click();
  assert.equal(await button.getAttribute("aria-pressed"), "true");
  await page.evaluate(() => {
    const result = (text, isFinal) => Object.assign([{ transcript: text }], { isFinal });
    window.listening.onresult({ resultIndex: 0, results: [result("what is", false)] });
    window.listening.onresult({ resultIndex: 0, results: [result(" what is on today", true)] });
  });
  assert.equal(await page.locator("#text").inputValue(), "Hello what is on today");
  assert.equal((await posts()).length, 0, "it was sent without being looked at");
  await page.evaluate(() => window.listening.onerror({ error: "not-allowed" }));
  await page.getByRole("alert").getByText("The microphone is not allowed.").waitFor();
  await button.click();
  assert.equal(await button.getAttribute("aria-pressed"), "false");
  await page.reload();
  assert.equal(await button.isVisible(), true, "the setting is kept");
});

scene("answers are read aloud where that is switched on, once", { init: VOICE }, async (profile) => {
  const page = await profile.open();
  await live(page);
  const token = await tokenOf(page);
  await reply(token, "Not read.");
  await sees(page, ["Not read."]);
  await page.locator("#open-settings").click();
  await page.getByLabel("Read answers aloud").check();
  await page.keyboard.press("Escape");
  await reply(token, "Maths at 9:00. Then music.");
  await page.getByText("Reading the answer aloud").waitFor();
  assert.deepEqual(await page.evaluate(() => window.said), ["Maths at 9:00.", "Then music."]);
  await page.locator("#stop-speaking").click();
  assert.equal(await page.evaluate(() => window.cancelled), true);
  await page.locator("#speaking").waitFor({ state: "hidden" });
  await page.reload();
  await live(page);
  assert.deepEqual(await page.evaluate(() => window.said), [], "what was there before is not read");
  const other = await profile.open();
  await live(other);
  await reply(token, "Only once.");
  await other.locator(".words", { hasText: "Only once." }).waitFor();
  await page.locator(".words", { hasText: "Only once." }).waitFor();
  await eventually(async () => assert.deepEqual([...(await page.evaluate(() => window.said)), ...(await other.evaluate(() => window.said))], ["Only once."]));
});

scene("a browser without a voice says so", { init: () => { delete window.webkitSpeechRecognition; delete window.SpeechRecognition; Object.defineProperty(window, "speechSynthesis", { value: undefined }); } }, async (profile) => {
  const page = await profile.open();
  await page.locator("#open-settings").click();
  await page.getByText("This browser cannot turn speech into text.").waitFor();
  await page.getByText("This browser cannot read aloud.").waitFor();
  assert.equal(await page.getByLabel("Read answers aloud").isDisabled(), true);
});

scene("messages are not kept where that is switched off", async (profile) => {
  const page = await profile.open();
  await live(page);
  const token = await tokenOf(page);
  await reply(token, "hello");
  await sees(page, ["hello"]);
  const kept = () => page.evaluate((label) => localStorage.getItem(`askhub.chat.${label}.kept`), token.slice(0, 16));
  assert.notEqual(await kept(), null);
  await page.locator("#open-settings").click();
  await page.getByLabel("Keep the last 50 messages on this device").uncheck();
  assert.equal(await kept(), null);
  await reply(token, "more");
  await sees(page, ["hello", "more"]);
  assert.equal(await kept(), null);
});
