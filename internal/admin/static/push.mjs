// The service worker, and push on and off.

import { post } from "./wire.mjs";
import { element, running } from "./page.mjs";

const WORKER = "/sw.js";

// The one script address that is ever made here, for browsers with trusted types.
const policy = globalThis.trustedTypes?.createPolicy("askhub-admin", {
  createScriptURL(url) {
    if (url !== WORKER) throw new TypeError("not the service worker");
    return url;
  },
});

export async function startWorker() {
  if (!globalThis.isSecureContext || !navigator.serviceWorker) return;
  try {
    await navigator.serviceWorker.register(policy ? policy.createScriptURL(WORKER) : WORKER, { updateViaCache: "none" });
  } catch {
    // Without it the app works, and cannot be told anything.
  }
}

export async function startPush() {
  const button = element("push-button");
  if (!button) return;
  const words = element("push-words");
  const fault = element("push-fault");
  if (!globalThis.isSecureContext || !("PushManager" in globalThis)) {
    words.textContent = "This browser takes no push here: it needs https, and on an iPhone the app on the home screen.";
    return;
  }
  const registration = await navigator.serviceWorker.ready;
  const show = async () => {
    const on = await registration.pushManager.getSubscription();
    words.textContent = on ? "This device is told when something waits. What it is stands only here." : "This device is not told when something waits.";
    button.textContent = on ? "Switch it off" : "Switch it on";
    button.hidden = false;
  };
  button.addEventListener("click", () =>
    running(button, fault, async () => {
      const on = await registration.pushManager.getSubscription();
      if (on) {
        await post("/api/push/off", { endpoint: on.endpoint });
        await on.unsubscribe();
      } else {
        await switchOn(registration);
      }
      await show();
    }),
  );
  await sayAgain(registration, fault);
  await show();
}

// The household forgets its browsers with a person's last passkey. One that takes pushes still
// is made known anew, so that what the page says of it is true.
async function sayAgain(registration, fault) {
  const on = await registration.pushManager.getSubscription();
  if (!on) return;
  const { endpoint, keys } = on.toJSON();
  try {
    await post("/api/push", { endpoint, keys });
  } catch (error) {
    fault.textContent = error.message;
  }
}

async function switchOn(registration) {
  if ((await Notification.requestPermission()) !== "granted") throw new Error("This browser does not let the app show notifications: allow it in its settings.");
  const { key } = await (await fetch("/api/push")).json();
  if (!key) throw new Error("This household has no push.");
  let made;
  try {
    made = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  } catch {
    throw new Error("This browser's push service is not answering; try again later.");
  }
  const { endpoint, keys } = made.toJSON();
  try {
    await post("/api/push", { endpoint, keys });
  } catch (error) {
    await made.unsubscribe();
    throw error;
  }
}
