// Taking a chat along to another device, bringing one here, and what this device keeps.

import { element, make } from "./dialogs.mjs";
import { sentence } from "./text.mjs";
import { fromPaste } from "./token.mjs";

export class TakeAlong {
  #chat = null;
  #drawn = null;

  // bring(token) takes a chat from another device.
  constructor({ bring }) {
    const take = element("take");
    const token = element("token");
    take.addEventListener("toggle", () => take.open && this.#drawQR());
    token.addEventListener("focus", () => token.select());
    this.#wireCopy(token);
    element("bring-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const brought = fromPaste(element("bring-token").value);
      element("bring-fault").textContent = brought ? "" : "Token: it must be 64 characters, 0 to 9 and a to f, or a link that ends in “#token=” and them.";
      if (!brought) {
        element("bring-token").focus();
        return;
      }
      element("bring-token").value = "";
      element("bring").open = false;
      bring(brought);
    });
    element("forget").addEventListener("click", () => {
      this.#chat.forget();
      this.#drawKept();
      element("forgotten").textContent = "Forgotten. This device keeps none of the messages up to now.";
    });
  }

  // show shows a chat, with its token and code closed up.
  show(chat) {
    const other = this.#chat !== chat;
    this.#chat = chat;
    element("forgotten").textContent = "";
    element("copied").textContent = "";
    if (other || this.#drawn === null) {
      element("take").open = false;
      element("qr").replaceChildren();
      this.#drawn = null;
    }
    element("token").value = chat.token;
    this.#drawKept();
  }

  #drawKept() {
    const count = this.#chat.keptCount();
    let words = "This device keeps no messages for reading offline.";
    if (count > 0) words = `This device keeps ${count === 1 ? "1 message" : `the last ${count} messages`} for reading offline.`;
    element("kept-words").textContent = words;
    element("forget").disabled = count === 0;
  }

  async #drawQR() {
    const chat = this.#chat;
    if (this.#drawn === chat) return;
    this.#drawn = chat;
    const qr = element("qr");
    try {
      const address = URL.createObjectURL(await chat.wire.qr());
      const image = make("img", { alt: "QR code of the link to this chat", src: address });
      await image.decode().finally(() => URL.revokeObjectURL(address));
      if (this.#chat === chat) qr.replaceChildren(image);
    } catch (fault) {
      if (this.#chat !== chat) return;
      this.#drawn = null;
      const why = fault.status === undefined ? "" : ` ${sentence(fault.message)}`;
      qr.replaceChildren(make("p", { className: "soft", text: `There is no QR code now.${why}` }));
    }
  }

  #wireCopy(token) {
    const button = element("copy");
    if (!globalThis.isSecureContext || !navigator.clipboard) {
      button.hidden = true;
      const missing = element("copy-missing");
      missing.textContent = globalThis.isSecureContext
        ? "This browser has no copy button for pages. Select the token and copy it."
        : "A copy button needs a secure address (https), and this is none. Select the token and copy it.";
      missing.hidden = false;
      return;
    }
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(token.value);
        element("copied").textContent = "Copied.";
      } catch {
        element("copied").textContent = "The browser did not allow it. Select the token and copy it.";
      }
    });
  }
}
