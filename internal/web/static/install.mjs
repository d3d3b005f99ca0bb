// The page as an app: the service worker, its renewal, and installing.

import { element, notice } from "./dialogs.mjs";

const WORKER = "/chat/sw.js";
const RENEW = 3_600_000;

// The one script address that is ever made here, for browsers with trusted types.
const policy = globalThis.trustedTypes?.createPolicy("askhub-chat", {
  createScriptURL(url) {
    if (url !== WORKER) throw new TypeError("not the service worker");
    return url;
  },
});

export function startWorker() {
  const words = element("offline-words");
  if (!globalThis.isSecureContext) {
    words.textContent = "Opening the page itself without a connection needs a secure address (https), and this is none. Messages still wait here for the connection.";
    return;
  }
  const container = navigator.serviceWorker;
  if (!container) {
    words.textContent = "This browser cannot open the page without a connection.";
    return;
  }
  let wanted = false;
  container.addEventListener("controllerchange", () => {
    if (wanted) location.reload();
  });
  const offer = (registration) =>
    notice("renewed", "A new version of this page is ready.", {
      action: "Reload",
      act() {
        wanted = true;
        if (registration.waiting) registration.waiting.postMessage("take over");
        else location.reload();
      },
    });
  const watch = (registration) => {
    if (registration.waiting && container.controller) offer(registration);
    registration.addEventListener("updatefound", () => {
      const coming = registration.installing;
      coming?.addEventListener("statechange", () => {
        if (coming.state === "installed" && container.controller) offer(registration);
      });
    });
    // An app on a home screen may stay open for weeks.
    let asked = performance.now();
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState !== "visible" || performance.now() - asked < RENEW) return;
      asked = performance.now();
      registration.update().catch(() => {});
    });
  };
  container
    .register(policy ? policy.createScriptURL(WORKER) : WORKER, { scope: "/chat", updateViaCache: "none" })
    .then((registration) => {
      words.textContent = "The page itself opens without a connection, too.";
      watch(registration);
    })
    .catch(() => {
      words.textContent = "This browser does not let the page open without a connection.";
    });
}

export function offerInstalling() {
  const words = element("install-words");
  const button = element("install");
  if (matchMedia("(display-mode: standalone)").matches || navigator.standalone === true) {
    words.textContent = "This is the app.";
    return;
  }
  if (!globalThis.isSecureContext) {
    words.textContent = "Installing needs a secure address (https), and this is none.";
    return;
  }
  words.textContent = "Your browser's menu can put this page on the home screen: “Install” or “Add to Home Screen”.";
  let prompt = null;
  addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault();
    prompt = event;
    words.textContent = "This page can stand on the home screen, with a window of its own.";
    button.hidden = false;
  });
  button.addEventListener("click", () => {
    button.hidden = true;
    prompt?.prompt();
  });
  addEventListener("appinstalled", () => {
    button.hidden = true;
    words.textContent = "Installed.";
  });
}
