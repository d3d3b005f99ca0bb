// What every test here stands on: a profile on the chat page for each test, and the knobs of the
// server.

import assert from "node:assert/strict";
import { PATIENCE, Profile as Fresh, heldBack, launching, play, turn } from "../../browsertest/profile.mjs";

export { heldBack };

export const BASE = process.env.ASKHUB_CHAT;
assert.ok(BASE, "ASKHUB_CHAT is not set: go test ./internal/web sets it");

// An address of the same server that is no secure context.
export const PLAIN = BASE.replace("127.0.0.1", "hub.test");

export const LAUNCH = launching("MAP hub.test 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1");

// knob turns one of the server's knobs, and gives what the server has seen.
export const knob = (command) => turn(`${BASE}/knobs`, command);

export const spoil = (...rules) => knob({ do: "rules", rules });
export const mend = () => knob({ do: "rules", rules: [] });
export const posts = async () => (await knob({ do: "seen" })).posts ?? [];
export const reply = (token, text, author = "hermes") => knob({ do: "reply", token, author, text });

// answer is a rule by which the server answers something of its own.
export function answer(path, status, body, { times = 0, type = "application/json" } = {}) {
  return { path, do: "answer", status, body: typeof body === "string" ? body : JSON.stringify(body), type, times };
}

// A Profile is one browser of one person, on the chat page.
export class Profile extends Fresh {
  static make(options) {
    return super.make(LAUNCH, options);
  }

  async open(address = `${BASE}/chat`) {
    const page = await this.newPage();
    await page.goto(address);
    return page;
  }
}

// scene is a test with a profile of its own and a server without faults.
export function scene(name, options, run) {
  if (typeof options === "function") return scene(name, {}, options);
  const { networkFaults = false, ...rest } = options;
  const make = async () => {
    await mend();
    await knob({ do: "reset" });
    return Object.assign(await Profile.make(rest), { networkFaults });
  };
  return play(name, make, async (profile) => {
    try {
      await run(profile);
    } finally {
      await mend();
    }
  });
}

// ---- What a person does and sees -----------------------------------------------

export const tokenOf = (page) => page.evaluate(() => localStorage.getItem("askhub.chat.token"));

export async function write(page, text) {
  await page.locator("#text").fill(text);
  await page.locator("#send").click();
}

// shown gives the texts on the screen, in order, with those on their way.
export const shown = (page) => page.locator(".message .words").allTextContents();

// sees waits until the page shows exactly these texts.
export async function sees(page, texts) {
  await eventually(async () => assert.deepEqual(await shown(page), texts));
}

// sent waits until nothing is on its way.
export async function sent(page) {
  await page.locator(".message.waiting, .message.failed").first().waitFor({ state: "detached" });
}

export const live = (page) => page.locator('#state[data-state="live"]').waitFor();

// eventually asks again until it holds, or says how it fails.
export async function eventually(holds, patience = PATIENCE) {
  const end = performance.now() + patience;
  for (;;) {
    try {
      return await holds();
    } catch (error) {
      if (performance.now() > end) throw error;
      await new Promise((done) => setTimeout(done, 40));
    }
  }
}
