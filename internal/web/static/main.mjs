// The page: which chat it shows, and who hears of what.

import { Chat } from "./chat.mjs";
import { Composer } from "./composer.mjs";
import { announce, closable, closeDialog, confirmed, element, make, notice, openDialog } from "./dialogs.mjs";
import { offerInstalling, startWorker } from "./install.mjs";
import { Keep } from "./keep.mjs";
import { LogView, nameOf } from "./log.mjs";
import { Pairing, speaksForNobody } from "./pairing.mjs";
import { openSettings, readSettings } from "./settings.mjs";
import { TakeAlong } from "./take.mjs";
import { fromFragment, isToken, makeToken } from "./token.mjs";
import { Listener, Speaker, listeningMissing, speakingMissing } from "./voice.mjs";

const TITLE = document.title;
const STATES = {
  connecting: "Connecting",
  live: "Live",
  polling: "Connected",
  trying: "Trying to reach the Hub",
  offline: "Offline",
  refused: "The Hub refuses",
};

const keep = new Keep(() => localStorage);
let settings = readSettings(keep);
let chat = null;
let pairing = null;
let paired = { person: "", answers: "" };
let connection = "connecting";
let unread = 0;

const log = new LogView({
  log: element("log"),
  list: element("messages"),
  button: element("to-newest"),
  act: {
    retry: (key) => chat.retry(key),
    remove: (key) => chat.remove(key),
    leave: () => composer.focus(),
  },
});

const composer = new Composer({
  form: element("composer"),
  text: element("text"),
  count: element("count"),
  fault: element("fault"),
  send(text) {
    speaker.stop();
    if (!chat.send(text) && keep.lasting) {
      notice("full", "This browser has no room left for the page. Keep it open until your message is sent.");
    }
    log.toEnd();
  },
});

const speaker = new Speaker((speaking) => (element("speaking").hidden = !speaking));
const listener = new Listener({
  button: element("listen"),
  heard: (words) => composer.insert(words),
  fault: (words) => composer.say(words),
});

const takeAlong = new TakeAlong({ bring });

// ---- Drawing -----------------------------------------------------------------

let drawing = false;
let counting = 0;

// draw draws once for all that happens in one go. It does not wait for a frame, since a
// tab that nobody sees gets none.
function draw() {
  if (drawing) return;
  drawing = true;
  queueMicrotask(() => {
    drawing = false;
    const pending = chat.pending();
    const { messages, awaiting } = chat.thread;
    element("awaiting").hidden = !awaiting;
    const words = whyNoAnswer();
    element("awaiting-words").textContent = words || "Waiting for an answer";
    element("awaiting-dots").hidden = words !== "";
    drawEmpty(messages.length === 0 && pending.length === 0);
    log.show(messages, pending);
    clearTimeout(counting);
    if (chat.counting) counting = setTimeout(draw, 1000);
  });
}

// whyNoAnswer says why what was asked gets no answer; it is empty where one is on its way.
function whyNoAnswer() {
  if (paired.answers === "off") return "Nobody answers here at present";
  if (paired.answers === "hub" && !paired.person) return "No answer comes before this chat is paired: “This chat” shows how";
  return "";
}

function drawEmpty(empty) {
  const heard = chat.synced;
  element("empty").hidden = !empty || (!heard && connection === "connecting");
  let hint = "";
  if (!heard) hint = "There is no connection yet. What you write waits here and is sent later.";
  else if (!paired.person) hint = `${speaksForNobody(paired.answers)} “This chat” shows how to pair it.`;
  element("empty-hint").textContent = hint;
}

function drawConnection(name, words) {
  connection = name;
  const state = element("state");
  state.dataset.state = name;
  state.textContent = name === "refused" && words ? words : STATES[name];
  draw();
}

function drawTitle() {
  document.title = unread > 0 ? `(${unread}) ${TITLE}` : TITLE;
}

// ---- What comes --------------------------------------------------------------

// A whole evening's messages at once are not read out one by one.
const READ_OUT = 3;

function arrived(messages) {
  log.arrived(messages.length);
  const others = messages.filter((message) => message.author !== "operator");
  if (document.visibilityState === "hidden") unread += others.length;
  drawTitle();
  if (others.length > READ_OUT) announce(`${others.length} new messages`);
  else for (const message of others) announce(`${nameOf(message.author)}: ${message.text}`);
  readAloud(others.filter((message) => message.author === "hermes").slice(-READ_OUT));
}

// readAloud reads messages in one tab of several: who reads holds a lock, and leaves word
// of what was read.
function readAloud(messages) {
  if (!settings.voiceOut || speakingMissing() || document.visibilityState === "hidden" || messages.length === 0) return;
  const of = chat;
  const read = () => (of.claimSpeech(messages.at(-1).epoch) ? speaker.say(messages.map((message) => message.text).join("\n")) : null);
  if (speaker.speaking || !navigator.locks) read();
  else navigator.locks.request("askhub.chat.aloud", { ifAvailable: true }, (lock) => (lock ? read() : null)).catch(read);
}

// ---- Which chat --------------------------------------------------------------

function open(token) {
  chat?.close();
  pairing?.stop();
  log.clear();
  paired = { person: "", answers: "" };
  element("speaks-for").textContent = "";
  chat = new Chat({
    token,
    keep,
    settings: () => settings,
    tell: {
      changed: draw,
      arrived,
      connection(name, words) {
        if ((name === "live" || name === "polling") && connection !== "live" && connection !== "polling") pairing.refresh();
        drawConnection(name, words);
      },
      failed: (words) => announce(`A message was not sent. ${words}`),
    },
  });
  pairing = new Pairing({
    wire: chat.wire,
    at: {
      words: element("pairing"),
      answers: element("answers"),
      box: element("code-box"),
      code: element("code"),
      left: element("code-left"),
      command: element("code-command"),
      fault: element("pairing-fault"),
      button: element("ask-code"),
    },
    tell(state) {
      paired = state;
      element("speaks-for").replaceChildren(...(state.person ? ["for ", make("bdi", { text: state.person })] : []));
      draw();
    },
  });
  takeAlong.show(chat);
  drawConnection("connecting");
  chat.open();
}

// change puts another chat into this one's place, in every tab of this browser.
function change(token) {
  closeDialog(element("chat-dialog"));
  chat.erase();
  keep.set("token", token);
  open(token);
  composer.focus();
}

// bring takes a chat from another device, and always asks: whoever made a link can read
// along in its chat, and may not be who opens it.
async function bring(token, hasOwn = true) {
  if (token === chat.token) {
    notice("brought", "This device has that chat already.");
    return;
  }
  const unsent = chat.unsent();
  const sure = await confirmed({
    title: "Bring the other chat here?",
    words: (hasOwn ? `This device has a chat of its own. It is forgotten here${lost(unsent)}, and the other one takes its place. ` : "") +
      "Whoever made the link or the token can read this chat and write in it. Only say yes to one of your own.",
    yes: "Bring it here",
  });
  if (!sure) return;
  change(token);
  notice("brought", "The chat from your other device is here now.");
}

function lost(unsent) {
  if (unsent === 0) return "";
  return unsent === 1 ? " with 1 message that was not sent" : ` with ${unsent} messages that were not sent`;
}

// fromAddress takes a token out of the address at once: it must not stay in a history.
function fromAddress() {
  const found = fromFragment(location.hash);
  if (!found) return null;
  history.replaceState(null, "", location.pathname + location.search);
  if (!found.fault) return found.token;
  notice("malformed", "The link's token is malformed: it must be 64 characters, 0 to 9 and a to f. Copy the whole link, or scan the QR code again.");
  return null;
}

function start() {
  const brought = fromAddress();
  const own = keep.get("token");
  const hasOwn = isToken(own ?? "");
  const token = hasOwn ? own : makeToken();
  const lasting = hasOwn ? keep.lasting : keep.set("token", token);
  open(token);
  if (!lasting) {
    notice("fleeting", "This browser keeps nothing for this page, so the chat lasts only as long as this tab. Allow the page to store data if you want to keep it.");
  }
  if (brought) bring(brought, hasOwn);
}

// ---- Wiring ------------------------------------------------------------------

for (const dialog of document.querySelectorAll("dialog")) closable(dialog);

element("open-chat").addEventListener("click", () => {
  pairing.refresh();
  takeAlong.show(chat);
  openDialog(element("chat-dialog"));
});
element("ask-code").addEventListener("click", () => pairing.askCode());
element("new-chat").addEventListener("click", async () => {
  const sure = await confirmed({
    title: "Begin a new chat?",
    words: `This device forgets the present chat${lost(chat.unsent())}. It stays on the Hub for a while, but only a device that has its token can open it.`,
    yes: "Begin a new chat",
  });
  if (!sure) return;
  change(makeToken());
  notice("begun", "This is a new chat.");
});

openSettings({
  keep,
  current: () => settings,
  changed() {
    settings = readSettings(keep);
    applySettings();
  },
});

function applySettings() {
  element("listen").hidden = !settings.voiceIn || listeningMissing() !== "";
  if (!settings.voiceIn) listener.stop();
  if (!settings.voiceOut) speaker.stop();
  chat?.settingsChanged();
}

element("stop-speaking").addEventListener("click", () => {
  speaker.stop();
  composer.focus();
});

keep.watch(window, (name) => {
  if (name === "token") {
    // What is stored now counts, not what this event tells: two tabs may have written.
    const token = keep.get("token") ?? "";
    if (isToken(token) && token !== chat.token) {
      // The tab that changed it was told to forget the old chat, and so is this one.
      chat.erase();
      open(token);
      notice("begun", "Another tab changed the chat of this browser.");
    }
  } else if (name === "settings") {
    settings = readSettings(keep);
    applySettings();
  } else chat.otherTab(name);
});

addEventListener("online", () => chat.renew());
addEventListener("offline", () => {
  drawConnection("offline");
  chat.renew();
});
addEventListener("beforeunload", (event) => {
  if (!keep.lasting && chat.unsent() > 0) event.preventDefault();
});
addEventListener("pageshow", (event) => event.persisted && chat.renew());
addEventListener("hashchange", () => {
  const brought = fromAddress();
  if (brought) bring(brought);
});
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState !== "visible") return;
  unread = 0;
  drawTitle();
});

element("starting").remove();
applySettings();
start();
// What a person can press waits in the page until something hears it.
for (const name of ["open-chat", "open-settings", "send"]) element(name).disabled = false;
startWorker();
offerInstalling();
if (matchMedia("(hover: hover)").matches) composer.focus();
