// Signing in, and enrolling a device.

import { makePasskey, passkeysWork, post, usePasskey } from "./wire.mjs";
import { element, running } from "./page.mjs";

const NO_PASSKEYS = "Passkeys do not work here: they need https or localhost, and a browser of the last years.";

export function startSignIn() {
  const box = element("sign-in");
  if (!box) return;
  const fault = element("sign-in-fault");
  const button = element("sign-in-button");
  if (!passkeysWork()) fault.textContent = NO_PASSKEYS;
  button.addEventListener("click", () =>
    running(button, fault, async () => {
      const credential = await usePasskey(await post("/api/signin/begin", {}));
      await post("/api/signin", { credential });
      location.assign(box.dataset.to);
    }),
  );
}

export function startEnrol() {
  const form = element("enrol");
  if (!form) return;
  const fault = element("enrol-fault");
  // What stands behind the # was never sent to any server, and is not kept in the history. A
  // code that is scanned while the page is open changes the address and loads nothing.
  const take = () => {
    const scanned = new URLSearchParams(location.hash.slice(1)).get("code");
    if (!scanned) return;
    form.code.value = scanned;
    fault.textContent = "";
    history.replaceState(null, "", location.pathname);
  };
  take();
  addEventListener("hashchange", take);
  if (!passkeysWork()) fault.textContent = NO_PASSKEYS;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    running(form.querySelector("button"), fault, async () => {
      const credential = await makePasskey(await post("/api/enrol/begin", { code: form.code.value }));
      const { to } = await post("/api/enrol", { credential });
      location.assign(to);
    });
  });
}
