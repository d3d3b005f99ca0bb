// The rules for a text, as the server has them: so that a person hears of a fault
// while writing, and nothing is cut.

export const LIMIT = 4000;

// NEAR is how many characters before the end the count begins to show.
export const NEAR = 400;

// codePoints counts as the server counts: an emoji of two UTF-16 units is one.
export function codePoints(text) {
  let n = 0;
  for (const _ of text) n++;
  return n;
}

// faultOf says what keeps a text from being sent: null, or the words for it and,
// where one character is to blame, where that stands.
export function faultOf(text) {
  const nul = text.indexOf("\u0000");
  if (nul >= 0) {
    return { words: "The text holds an invisible NUL character, which cannot be sent. It is marked now: delete it.", from: nul, to: nul + 1 };
  }
  const half = text.search(/[\uD800-\uDFFF]/u);
  if (half >= 0) {
    return { words: "The text holds half of a character, which cannot be sent. It is marked now: delete it.", from: half, to: half + 1 };
  }
  const over = codePoints(text) - LIMIT;
  if (over > 0) {
    const many = over === 1 ? "1 character" : `${over.toLocaleString()} characters`;
    return { words: `The text is ${many} too long. Shorten it, or send it in parts.` };
  }
  return null;
}

// sentence makes a whole sentence of an error's words.
export function sentence(words) {
  const said = words.trim();
  const begun = said.charAt(0).toUpperCase() + said.slice(1);
  return /[.!?…]$/u.test(begun) ? begun : `${begun}.`;
}
