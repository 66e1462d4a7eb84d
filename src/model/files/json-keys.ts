/**
 * Finds a key that occurs twice in one object of a JSON text. `JSON.parse` keeps the last and says nothing, so that two
 * readers of one file may see two different files; headers of tensor files are refused instead.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const COLON = 0x3a;

/** The first doubled key, or null. `text` must be valid JSON: run `JSON.parse` first. */
export function findDuplicateKey(text: string): string | null {
  const open: Set<string>[] = [];
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === OPEN_BRACE) {
      open.push(new Set());
    } else if (code === CLOSE_BRACE) {
      open.pop();
    } else if (code === QUOTE) {
      const begin = at++;
      while (text.charCodeAt(at) !== QUOTE) {
        at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
      }
      let next = at + 1;
      while (text.charCodeAt(next) <= 0x20) {
        next++;
      }
      if (text.charCodeAt(next) === COLON) {
        // Two spellings of one key ("a" and "\u0061") are one key.
        const key = JSON.parse(text.slice(begin, at + 1)) as string;
        const keys = open[open.length - 1];
        if (keys.has(key)) {
          return key;
        }
        keys.add(key);
      }
    }
    at++;
  }
  return null;
}
