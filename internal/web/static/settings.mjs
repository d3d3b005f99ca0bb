// The settings, kept by this browser. What a browser cannot do says what is missing.

import { closeDialog, element, openDialog } from "./dialogs.mjs";
import { listeningMissing, speakingMissing } from "./voice.mjs";

const FIRST = { voiceIn: false, voiceOut: false, keepMessages: true };
const BOXES = { voiceIn: "voice-in", voiceOut: "voice-out", keepMessages: "keep-messages" };

// readSettings takes only what this page knows.
export function readSettings(keep) {
  const kept = keep.json("settings");
  const settings = { ...FIRST };
  for (const name of Object.keys(FIRST)) {
    if (typeof kept?.[name] === "boolean") settings[name] = kept[name];
  }
  return settings;
}

// openSettings wires the dialogue: current() gives the settings in force, changed() is
// called when they are others.
export function openSettings({ keep, current, changed }) {
  const missing = {
    voiceIn: listeningMissing(),
    voiceOut: speakingMissing(),
    keepMessages: keep.lasting ? "" : "This browser keeps nothing for this page.",
  };
  const dialog = element("settings-dialog");
  const show = () => {
    for (const [name, id] of Object.entries(BOXES)) element(id).checked = current()[name] && missing[name] === "";
  };
  for (const [name, id] of Object.entries(BOXES)) {
    const box = element(id);
    if (missing[name]) {
      box.disabled = true;
      element(box.getAttribute("aria-describedby")).textContent = missing[name];
    }
    box.addEventListener("change", () => {
      keep.setJSON("settings", { ...current(), [name]: box.checked });
      changed();
    });
  }
  element("open-settings").addEventListener("click", () => {
    show();
    if (dialog.open) closeDialog(dialog);
    openDialog(dialog);
  });
}
