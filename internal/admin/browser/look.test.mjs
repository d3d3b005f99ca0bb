// For everybody: by keyboard, by ear, on a small screen, in the dark.

import assert from "node:assert/strict";
import { AxeBuilder, cardOf, scene, state, want } from "./stage.mjs";

const SIZES = [{ width: 320, height: 640 }, { width: 390, height: 844 }, { width: 1280, height: 800 }];
const PAGES = ["/", "/ask", "/changes", "/notices", "/history", "/console", "/me", "/enrol", "/nothing"];

async function clean(page, where) {
  const { violations } = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]).analyze();
  assert.deepEqual(violations.flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.target} ${n.failureSummary}`)), [], where);
}

async function noSidewaysScroll(page, where) {
  const wide = await page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    return [document.documentElement, ...document.querySelectorAll("main *")].filter((box) => box.getBoundingClientRect().right > width + 0.5 && !box.closest(".unseen")).map((box) => box.outerHTML.slice(0, 80));
  });
  assert.deepEqual(wide, [], where);
}

for (const colorScheme of ["light", "dark"]) {
  for (const viewport of SIZES) {
    scene(`nobody is left out: ${colorScheme}, ${viewport.width} wide`, { colorScheme, viewport, networkFaults: true }, async (phone) => {
      let page = await phone.open("/signin");
      await clean(page, "sign in");
      page = await phone.enrol();
      await want("Cut the internet of " + "a".repeat(300) + " p\u0430ypal \u202etxt.", { action: { text: "long".repeat(500), nested: { deep: [1, 2] } } });
      await page.getByText("They are marked.").first().waitFor();
      for (const path of PAGES) {
        await phone.open(path);
        for (const one of await page.locator("details > summary").all()) await one.click();
        await clean(page, path);
        await noSidewaysScroll(page, path);
      }
    });
  }
}

scene("by keyboard alone", async (phone) => {
  const page = await phone.enrol();
  await want("Give Harry ten minutes more.");
  await cardOf(page, "Give Harry ten minutes more.").or(page.getByText("Something new waits.")).waitFor();
  await phone.open("/");
  const a = await want("Give Emma ten minutes more.");
  // One waits already: nothing moves under a reader's hands, the page offers to show it.
  await page.getByText("Something new waits.").waitFor();
  await page.getByRole("button", { name: "Show it" }).click();
  const card = cardOf(page, "Give Emma ten minutes more.");
  await card.waitFor();
  await phone.open("/");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "To the content");
  await page.keyboard.press("Enter");
  for (let n = 0; n < 80 && !(await card.getByRole("button", { name: "Yes, do it" }).evaluate((b) => b === document.activeElement)); n++) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await card.getByRole("status").getByText("Done.").waitFor();
  // Whoever hears the page stands where the result is.
  assert.ok(await card.getByRole("status").evaluate((one) => one === document.activeElement));
  assert.equal((await state(a)).approval.state, "done");
});

scene("what is odd is marked, and ten thousand characters are there", async (phone) => {
  const page = await phone.enrol();
  const text = Array.from({ length: 750 }, (_, n) => String(n).padStart(9, "0")).join(" ");
  await want("Send gpj.\u202etxt to p\u0430ypal.", { why: "zero\u200bwidth", action: { text } });
  await phone.open("/");
  const card = cardOf(page, "Send gpj.");
  await card.waitFor();
  assert.deepEqual(await card.locator("mark").allTextContents(), ["[U+202E]", "\u0430[U+0430]", "[U+200B]"]);
  assert.equal(await card.locator("mark").first().getAttribute("title"), "turns the direction of the text");
  assert.ok((await card.locator(".exact").textContent()).includes(text));
  assert.ok(await card.locator(".exact").evaluate((one) => one.scrollHeight <= one.clientHeight + 1), "a part is scrolled away");
});

scene("a change is asked for in the app, and waits for a yes", { networkFaults: true }, async (phone) => {
  const page = await phone.enrol();
  await page.getByRole("link", { name: "Limits" }).click();
  await page.getByText("Cut the internet").click();
  await page.getByLabel("For how long").fill("30");
  await page.getByRole("button", { name: "Ask for it" }).click();
  await page.getByRole("alert").getByText("Give a number of minutes from 1 to 600.").waitFor();
  assert.equal(await page.locator('[data-field="minutes"]').getAttribute("aria-invalid"), "true");
});

scene("a question is asked in the app", async (phone) => {
  const page = await phone.enrol();
  await page.getByRole("link", { name: "Ask" }).click();
  await page.getByLabel("Question").fill("what does Harry have on today?");
  await page.getByRole("button", { name: "Ask" }).click();
  await page.getByText("Harry has maths at 9:00.").waitFor();
});

scene("the app can be installed", async (phone) => {
  const page = await phone.enrol();
  const { data } = await phone.devtools.send("Page.getAppManifest");
  const manifest = JSON.parse(data);
  assert.equal(manifest.start_url, "/");
  assert.ok(await page.evaluate(async () => (await navigator.serviceWorker.ready).active !== null));
  for (const icon of manifest.icons) assert.ok((await page.request.get(new URL(icon.src, page.url()).href)).ok(), icon.src);
});
