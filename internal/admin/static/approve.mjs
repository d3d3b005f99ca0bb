// Yes, no, and "I did not ask for this".

import { post, usePasskey } from "./wire.mjs";

const WORDS = { yes: "Waiting for your passkey", no: "Saying no", disown: "Saying no" };

export function startApprovals() {
  for (const card of document.querySelectorAll(".approval")) {
    for (const button of card.querySelectorAll("[data-answer]")) button.addEventListener("click", () => decide(card, button.dataset.answer));
  }
}

// A card under a decision takes no second one.
const busy = new WeakSet();

async function decide(card, answer) {
  if (busy.has(card)) return;
  busy.add(card);
  const result = card.querySelector(".result");
  const buttons = card.querySelectorAll("[data-answer]");
  for (const button of buttons) button.setAttribute("aria-disabled", "true");
  tell(result, WORDS[answer], "");
  const { owner, id, digest } = card.dataset;
  const at = `/api/approvals/${owner}/${id}`;
  try {
    let said;
    if (answer === "yes") {
      const credential = await usePasskey(await post(`${at}/begin`, { digest, mute: false }));
      tell(result, "Doing it", "");
      said = await post(`${at}/yes`, { credential });
    } else {
      said = await post(`${at}/no`, { digest, mute: answer === "disown" });
    }
    card.dataset.state = said.state;
    card.querySelector("h2").textContent = "Decided";
    card.querySelector(".buttons").remove();
    tell(result, said.says, said.state);
    result.focus();
  } catch (error) {
    tell(result, error.message, "fault");
    for (const button of buttons) button.removeAttribute("aria-disabled");
    busy.delete(card);
  }
}

function tell(result, words, state) {
  result.textContent = words;
  result.dataset.state = state;
}
