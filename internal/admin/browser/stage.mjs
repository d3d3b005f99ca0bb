// What every test here stands on: a profile with a virtual authenticator for each test, and the
// knobs of the household.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { Profile, heldBack, launching, play, turn } from "../../browsertest/profile.mjs";

// The libraries are those of the chat page's tests.
const require = createRequire(new URL("../../web/browser/package.json", import.meta.url));
export const { AxeBuilder } = require("@axe-core/playwright");

export const BASE = process.env.ASKHUB_ADMIN;
assert.ok(BASE, "ASKHUB_ADMIN is not set: go test ./internal/admin sets it");

const LAUNCH = launching("MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1");

// knob turns one of the household's knobs.
export const knob = (command) => turn(process.env.ASKHUB_KNOBS, command);

// A request is always another one, since equal ones that wait are one.
let made = 0;

export function want(what, { owner = "internet_control", who = `asker ${++made}`, why = "for homework", action = { do: "cut", device: "tablet" } } = {}) {
  return knob({ do: "want", owner, what, who, why, action });
}

// A Phone is one browser of one person, with one page.
export class Phone extends Profile {
  static make(options) {
    return super.make(LAUNCH, options);
  }

  async open(path = "/") {
    this.page ??= await this.newPage();
    await this.page.goto(BASE + path);
    return this.page;
  }

  async newPage() {
    const page = await super.newPage();
    this.devtools = await this.context.newCDPSession(page);
    await this.devtools.send("WebAuthn.enable");
    ({ authenticatorId: this.authenticator } = await this.devtools.send("WebAuthn.addVirtualAuthenticator", {
      options: { protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    }));
    return page;
  }

  // finger says whether the phone's owner holds it: without, it does not verify.
  finger(there) {
    return this.devtools.send("WebAuthn.setUserVerified", { authenticatorId: this.authenticator, isUserVerified: there });
  }

  // enrol makes a passkey with a code from the host, which signs this phone in.
  async enrol(person = "sam") {
    const { code } = await knob({ do: "code", person });
    const page = await this.open(`/enrol#code=${code}`);
    await page.getByRole("button", { name: "Make a passkey" }).click();
    await page.getByRole("heading", { name: "Waiting for you" }).waitFor();
    return page;
  }
}

// scene is a test with a phone of its own.
export function scene(name, options, run) {
  if (typeof options === "function") return scene(name, {}, options);
  const { networkFaults = false, ...rest } = options;
  const make = async () => Object.assign(await Phone.make(rest), { networkFaults });
  return play(name, make, run);
}

export { heldBack };

export const cardOf = (page, what) => page.locator(".approval", { hasText: what });

export async function state(a) {
  return knob({ do: "state", owner: a.owner, id: a.id });
}
