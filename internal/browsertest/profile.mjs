// What the browser tests of every page stand on: one Chromium, a fresh browser profile for each
// test, and a watch for errors that nobody expected.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, test } from "node:test";

// The libraries are those of the chat page's tests.
const require = createRequire(new URL("../web/browser/package.json", import.meta.url));
const { chromium } = require("playwright-core");

// launching is how Chromium starts, with these rules for the hosts that there are.
export function launching(hosts) {
  const args = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-first-run",
    "--no-pings",
    `--host-resolver-rules=${hosts}`,
  ];
  if (process.getuid?.() === 0) args.push("--no-sandbox");
  return { executablePath: process.env.ASKHUB_CHROMIUM ?? "/usr/bin/chromium", args };
}

// PATIENCE is how long a test waits for what has to come, in milliseconds: only a test that
// fails waits so long, and a crowded machine stands still for seconds.
export const PATIENCE = 30_000;

let browser;
after(() => browser?.close());

// turn turns one of the knobs at that address, and gives what was said to it.
export async function turn(address, command) {
  const response = await fetch(address, { method: "POST", body: JSON.stringify(command) });
  const said = await response.text();
  assert.ok(response.ok, said);
  return JSON.parse(said);
}

// Chromium itself writes these for each call that fails, and no page can keep it from it.
const OF_THE_NETWORK = /Failed to load resource|net::ERR_/;

// A Profile is one browser of one person: its pages share what it keeps.
export class Profile {
  faults = [];
  // A fault of the network is expected where a test makes one.
  networkFaults = false;

  // make is a fresh one, in a Chromium that is launched so; init runs in each page of it.
  static async make(launch, { init, ...options } = {}) {
    const profile = new this();
    browser ??= await chromium.launch(launch);
    profile.context = await browser.newContext({ locale: "en-GB", timezoneId: "Europe/London", viewport: { width: 390, height: 844 }, ...options });
    profile.context.setDefaultTimeout(PATIENCE);
    if (init) await profile.context.addInitScript(init);
    await profile.context.addInitScript(() => {
      addEventListener("securitypolicyviolation", (event) => console.error(`policy violated: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
    });
    return profile;
  }

  async newPage() {
    const page = await this.context.newPage();
    page.on("console", (message) => {
      if (message.type() !== "error" && message.type() !== "warning") return;
      if (this.networkFaults && OF_THE_NETWORK.test(message.text())) return;
      this.faults.push(`console: ${message.text()}`);
    });
    page.on("pageerror", (error) => this.faults.push(`uncaught: ${error.stack}`));
    return page;
  }

  // now gives what stands on each page, for whoever reads that a test failed.
  async now() {
    const pages = this.context.pages();
    const texts = pages.map((page) => page.evaluate(() => document.body.innerText.slice(0, 2000)).catch((error) => error.message));
    return (await Promise.all(texts)).map((text, n) => `${pages[n].url()}\n${text}`).concat(this.faults);
  }

  async close() {
    await this.context.close();
    assert.deepEqual(this.faults, []);
  }
}

// heldBack opens a page whose script is still on its way, and gives what lets it come.
export async function heldBack(page, address, script) {
  let arrive;
  const arrived = new Promise((done) => (arrive = done));
  await page.route(script, async (route) => {
    await arrived;
    await route.continue();
  });
  await page.goto(address, { waitUntil: "commit" });
  return arrive;
}

// play is a test with the profile that make makes; its faults count where it passes.
export function play(name, make, run) {
  return test(name, async (t) => {
    const profile = await make();
    try {
      await run(profile);
    } catch (error) {
      for (const page of await profile.now()) t.diagnostic(page);
      await profile.context.close();
      throw error;
    }
    await profile.close();
  });
}
