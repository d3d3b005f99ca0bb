// A parent's evening on a phone, with the whole household running: from the code on the host to
// a tablet that is offline, and back, and a job that was spoken.

import assert from "node:assert/strict";
import { scene } from "../../../../internal/admin/browser/stage.mjs";

// A page is drawn once, and what it tells of may be kept a moment later.
async function comesToSay(page, text) {
  for (let tries = 0; !(await page.getByText(text).count()); tries++) {
    assert.ok(tries < 150, `the page never says ${text}`);
    await page.waitForTimeout(200);
    await page.reload();
  }
}

async function asksFor(page, change, device) {
  await page.getByRole("link", { name: "Limits" }).click();
  const form = page.locator(`form[data-change="${change}"]`);
  await page.locator("details", { has: form }).locator("summary").click();
  await form.getByLabel("Device").selectOption(device);
  await form.locator("[data-why]").fill("dinner");
  await form.getByRole("button", { name: "Ask for it" }).click();
  const card = page.locator(".approval");
  await card.getByRole("heading", { name: "Did you ask for this?" }).waitFor();
  return card;
}

scene("cut a tablet's internet, and restore it", async (phone) => {
  const page = await phone.open(`/enrol#code=${process.env.ASKHUB_CODE}`);
  await page.getByRole("button", { name: "Make a passkey" }).click();
  await page.getByRole("heading", { name: "Waiting for you" }).waitFor();

  let card = await asksFor(page, "cut", "Harry's tablet");
  await card.getByText('"change": "cut"').waitFor();
  await card.getByText("dinner").waitFor();
  await card.getByRole("button", { name: "Yes, do it" }).click();
  await card.getByRole("status").getByText("Done.").waitFor();
  // What is cut can now be restored, and not cut again.
  card = await asksFor(page, "restore", "Harry's tablet");
  await card.getByRole("button", { name: "Yes, do it" }).click();
  await card.getByRole("status").getByText("Done.").waitFor();

  // A change that somebody only says is refused, in the app as everywhere.
  await page.getByRole("link", { name: "Ask", exact: true }).click();
  await page.getByLabel("Question").fill("turn off the kids' internet");
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await page.getByText("Use the admin app to change internet limits.").waitFor();

  await page.getByRole("link", { name: "Console" }).click();
  await page.getByText("Internet control").first().waitFor();
  await comesToSay(page, "turn off the kids' internet");
  await page.getByRole("link", { name: "History" }).click();
  await page.getByText("Sam said yes").nth(1).waitFor();
  assert.equal(await page.getByText("Sam said yes").count(), 2);

  // A job is spoken to the phone, waits in the app, is filed once, and its name is told.
  const spoken = await fetch(`${process.env.ASKHUB_HUB}/ask`, {
    method: "POST",
    headers: { authorization: `Bearer ${process.env.ASKHUB_PHONE}`, "content-type": "application/json" },
    body: JSON.stringify({ question: "file a job: find a plumber", source: "phone" }),
  });
  const reply = await spoken.json();
  assert.equal(reply.status, "pending", JSON.stringify(reply));
  assert.equal(reply.want, "speech");
  await page.getByRole("link", { name: "Waiting" }).click();
  card = page.locator(".approval");
  await card.getByText("Find a plumber").first().waitFor();
  await card.getByRole("button", { name: "Yes, do it" }).click();
  await card.getByText("It is filed as HOU-1.").waitFor();
  await page.getByRole("link", { name: "Notices" }).click();
  await comesToSay(page, "is filed as HOU-1.");
});
