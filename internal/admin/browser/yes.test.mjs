// From the code on the host to the result of a yes, and what else a person may say.

import assert from "node:assert/strict";
import { BASE, cardOf, heldBack, knob, Phone, scene, state, want } from "./stage.mjs";

scene("enrol, see what waits, say yes, hear the result", async (phone) => {
  const page = await phone.enrol();
  await page.getByText("Nothing waits for a yes.").waitFor();
  assert.equal(new URL(page.url()).hash, "", "the code stayed in the address");
  const a = await want("Cut the internet of Harry's tablet.");
  // The open page learns of it by itself.
  const card = cardOf(page, "Cut the internet of Harry's tablet.");
  await card.getByRole("heading", { name: "Did you ask for this?" }).waitFor();
  await card.getByText('"device": "tablet"').waitFor();
  await card.getByRole("button", { name: "Yes, do it" }).click();
  await card.getByRole("status").getByText("Done. It is so.").waitFor();
  assert.equal((await state(a)).approval.state, "done");
  assert.equal((await state(a)).approval.result.by, "sam");
  await page.getByRole("link", { name: "History" }).click();
  await page.getByText("Sam said yes").waitFor();
});

scene("sign out, and sign in again with the passkey", async (phone) => {
  const page = await phone.enrol();
  await page.getByRole("link", { name: "You" }).click();
  await page.getByRole("button", { name: "Sign out here" }).click();
  await page.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
  await phone.open("/history");
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.getByRole("heading", { name: "History" }).waitFor();
});

scene("no runs nothing", async (phone) => {
  const page = await phone.enrol();
  const a = await want("Give Harry an hour more.");
  const card = cardOf(page, "Give Harry an hour more.");
  await card.getByRole("button", { name: "No", exact: true }).click();
  await card.getByRole("status").getByText("Denied. Nothing was done.").waitFor();
  assert.equal((await state(a)).approval.state, "denied");
});

scene("who did not ask for it says so, and the asker is muted", async (phone) => {
  const page = await phone.enrol();
  const a = await want("Switch the filter off.", { who: "somebody" });
  const card = cardOf(page, "Switch the filter off.");
  await card.getByRole("button", { name: "I did not ask for this" }).click();
  await card.getByRole("status").getByText("is not heard for an hour").waitFor();
  assert.equal((await state(a)).approval.state, "denied");
  await assert.rejects(want("Once more.", { who: "somebody" }));
});

scene("without the owner's finger nothing is done, and with it then it is", { networkFaults: true }, async (phone) => {
  const page = await phone.enrol();
  const a = await want("Cut the internet of the television.");
  const card = cardOf(page, "Cut the internet of the television.");
  await card.waitFor();
  await phone.finger(false);
  await card.getByRole("button", { name: "Yes, do it" }).click();
  await card.getByRole("status").getByText("Nothing was done.").waitFor();
  assert.equal((await state(a)).approval.state, "pending");
  await phone.finger(true);
  await card.getByRole("button", { name: "Yes, do it" }).click();
  await card.getByRole("status").getByText("Done.").waitFor();
});

scene("a lost phone is signed out at once", { networkFaults: true }, async (phone) => {
  const page = await phone.enrol("tom");
  const a = await want("Cut the internet of the console.");
  const card = cardOf(page, "Cut the internet of the console.");
  await card.waitFor();
  await knob({ do: "revoke", person: "tom" });
  await card.getByRole("button", { name: "Yes, do it" }).click();
  await page.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.getByRole("alert").getByText("The passkey was not taken.").waitFor();
  assert.equal((await state(a)).approval.state, "pending");
  const other = await Phone.make();
  await (await other.enrol("sam")).goto(`${BASE}/approvals/${a.owner}/${a.id}`);
  await other.page.getByRole("button", { name: "No", exact: true }).click();
  await other.page.getByText("Denied.").waitFor();
  await other.close();
});

scene("a code that is scanned while the page is open is taken too", async (phone) => {
  const page = await phone.open("/enrol");
  const { code } = await knob({ do: "code", person: "sam" });
  await page.evaluate((hash) => (location.hash = hash), `#code=${code}`);
  await page.waitForFunction((want) => document.querySelector("#enrol [name=code]").value === want, code);
  assert.equal(new URL(page.url()).hash, "", "the code stayed in the address");
  await page.getByRole("button", { name: "Make a passkey" }).click();
  await page.getByRole("heading", { name: "Waiting for you" }).waitFor();
});

scene("what is pressed before the page is ready goes nowhere", async (phone) => {
  const page = await phone.newPage();
  phone.page = page;
  const sent = [];
  page.on("request", (request) => request.isNavigationRequest() && sent.push(request.url()));
  const arrive = await heldBack(page, `${BASE}/enrol`, "**/static/main.mjs");
  const { code } = await knob({ do: "code", person: "sam" });
  await page.getByLabel("Code").fill(code);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Make a passkey", disabled: true }).dispatchEvent("click");
  arrive();
  await page.getByRole("button", { name: "Make a passkey" }).click();
  await page.getByRole("heading", { name: "Waiting for you" }).waitFor();
  assert.deepEqual(sent, [`${BASE}/enrol`, `${BASE}/`]);
});

scene("an open page follows the app's events, and asks by itself where there are none", { networkFaults: true }, async (phone) => {
  const page = await phone.enrol();
  await want("File a job.", { owner: "hub" });
  await cardOf(page, "File a job.").waitFor();
  await page.route("**/api/events", (route) => route.abort());
  await phone.open("/");
  await want("File another job.", { owner: "hub" });
  await page.getByText("Something new waits.").waitFor();
});
