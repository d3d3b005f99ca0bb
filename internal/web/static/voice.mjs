// Speaking instead of writing, and hearing instead of reading. Both are the browser's
// work, and both are off until they are switched on.

const Recognition = globalThis.SpeechRecognition ?? globalThis.webkitSpeechRecognition;

// listeningMissing says what is missing for speaking a message, or nothing.
export function listeningMissing() {
  if (!globalThis.isSecureContext) return "The microphone needs a secure address (https), and this is none.";
  if (!Recognition) return "This browser cannot turn speech into text.";
  return "";
}

export function speakingMissing() {
  return globalThis.speechSynthesis && globalThis.SpeechSynthesisUtterance ? "" : "This browser cannot read aloud.";
}

const FAULTS = {
  "not-allowed": "The microphone is not allowed. Allow it for this page in the browser's settings.",
  "service-not-allowed": "This browser does not allow speech recognition here.",
  "audio-capture": "No microphone was found.",
  network: "The browser's speech service was not reached.",
  "no-speech": "Nothing was heard.",
  "language-not-supported": "The browser's speech service does not know this language.",
};

// A Listener writes down what is said while its button is pressed in.
export class Listener {
  #button;
  #heard;
  #fault;
  #running = null;

  constructor({ button, heard, fault }) {
    this.#button = button;
    this.#heard = heard;
    this.#fault = fault;
    button.addEventListener("click", () => (this.#running ? this.stop() : this.#start()));
  }

  stop() {
    this.#running?.stop();
  }

  #start() {
    const listening = new Recognition();
    listening.lang = navigator.language;
    listening.continuous = true;
    listening.interimResults = false;
    listening.onresult = (event) => {
      for (let i = event.resultIndex; i < event.results.length; i++) {
        const said = event.results[i].isFinal ? event.results[i][0].transcript.trim() : "";
        if (said) this.#heard(said);
      }
    };
    listening.onerror = (event) => {
      if (event.error !== "aborted") this.#fault(FAULTS[event.error] ?? "Listening failed.");
    };
    listening.onend = () => this.#set(null);
    try {
      listening.start();
      this.#set(listening);
    } catch {
      this.#fault("Listening failed. Try again in a moment.");
    }
  }

  #set(running) {
    this.#running = running;
    this.#button.setAttribute("aria-pressed", String(running !== null));
  }
}

// A Speaker reads texts aloud, one after the other.
export class Speaker {
  #changed;
  #left = 0;
  #ended = [];

  // changed(speaking) hears when reading begins and ends.
  constructor(changed) {
    this.#changed = changed;
  }

  get speaking() {
    return this.#left > 0;
  }

  // say reads a text after what is being read, and is done when all is read or stopped.
  say(text) {
    for (const part of parts(text)) {
      const utterance = new SpeechSynthesisUtterance(part);
      utterance.lang = navigator.language;
      utterance.onend = utterance.onerror = () => this.#set(this.#left - 1);
      this.#set(this.#left + 1);
      speechSynthesis.speak(utterance);
    }
    return new Promise((done) => {
      this.#ended.push(done);
      if (!this.speaking) this.#set(0);
    });
  }

  stop() {
    if (speakingMissing()) return;
    speechSynthesis.cancel();
    this.#set(0);
  }

  #set(left) {
    this.#left = Math.max(0, left);
    this.#changed(this.speaking);
    if (this.speaking) return;
    for (const done of this.#ended.splice(0)) done();
  }
}

// parts cuts a text at its sentences: some voices fall silent in a long one.
export function parts(text) {
  return (text.match(/[^.!?。！？\n]+[.!?。！？]*/gu) ?? []).map((part) => part.trim()).filter((part) => /[\p{L}\p{N}]/u.test(part));
}
