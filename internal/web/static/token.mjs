// The token is the whole identity of a chat: who has it reads and writes the chat.

const FORM = /^[0-9a-f]{64}$/;

export function isToken(text) {
  return FORM.test(text);
}

export function makeToken(source = globalThis.crypto) {
  const bytes = source.getRandomValues(new Uint8Array(32));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// label tells chats apart in what this browser keeps.
export function label(token) {
  return token.slice(0, 16);
}

// fromFragment reads what an address brings along: null where it brings nothing.
export function fromFragment(hash) {
  if (!hash.startsWith("#token=")) return null;
  const token = hash.slice("#token=".length);
  return isToken(token) ? { token } : { fault: true };
}

// fromPaste reads what a person pasted: a token, or an address that carries one.
export function fromPaste(text) {
  const found = /(?:^|#token=)([0-9a-f]{64})$/.exec(text.trim());
  return found ? found[1] : null;
}
