/**
 * A parser for JSON as other programs write it. It accepts Python's `NaN` and `Infinity`, keeps all digits of an integer and
 * marks the value of a repeated name as `Unreadable`. `JSON.parse` rejects the two constants, rounds large integers and
 * keeps the last of two values.
 */

/** A value that causes an error only when it is read: a fault in an unused column does not reject the file. */
export class Unreadable {
  constructor(readonly fault: string) {}
}

const DEEPEST = 500;
const SPACE = /[ \t\n\r]*/y;
const LITERAL = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|-?Infinity|NaN|true|false|null/y;

const constants = new Map<string, unknown>([
  ['NaN', NaN],
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Object with the given entries. The value of a name that occurs twice is `Unreadable`. */
export function namedValues(entries: Iterable<readonly [string, unknown]>): Record<string, unknown> {
  const values = new Map<string, unknown>();
  for (const [name, value] of entries)
    values.set(name, values.has(name) ? new Unreadable('occurs twice') : value);
  return Object.fromEntries(values);
}

/** @throws SyntaxError with the line and character; also for nesting deeper than `DEEPEST` */
export function parseLenientJson(text: string): unknown {
  let at = 0;

  function fail(): never {
    const lines = text.slice(0, at).split('\n');
    const line = lines.length > 1 ? `line ${lines.length}, ` : '';
    const excerpt = at < text.length ? JSON.stringify(text.slice(at, at + 10)) : 'end';
    throw new SyntaxError(`${line}character ${lines[lines.length - 1].length + 1}: unexpected ${excerpt}`);
  }

  function skipSpace(): void {
    SPACE.lastIndex = at;
    SPACE.test(text);
    at = SPACE.lastIndex;
  }

  function accept(mark: string): boolean {
    skipSpace();
    if (text[at] !== mark) return false;
    at++;
    return true;
  }

  function expect(mark: string): void {
    if (!accept(mark)) fail();
  }

  function string(): string {
    skipSpace();
    if (text[at] !== '"') fail();
    let end = text.indexOf('"', at + 1);
    while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
    if (end === -1) fail();
    try {
      const value = JSON.parse(text.slice(at, end + 1)) as string;
      at = end + 1;
      return value;
    } catch {
      fail();
    }
  }

  function literal(): unknown {
    LITERAL.lastIndex = at;
    const token = LITERAL.exec(text)?.[0] ?? fail();
    at += token.length;
    if (constants.has(token)) return constants.get(token);
    const number = Number(token);
    return /^-?\d+$/.test(token) && !Number.isSafeInteger(number) ? BigInt(token) : number;
  }

  function sequence(end: string, element: () => void): void {
    if (accept(end)) return;
    do element();
    while (accept(','));
    expect(end);
  }

  function value(depth: number): unknown {
    if (depth > DEEPEST) fail();
    if (accept('[')) {
      const list: unknown[] = [];
      sequence(']', () => list.push(value(depth + 1)));
      return list;
    }
    if (accept('{')) {
      const entries: [string, unknown][] = [];
      sequence('}', () => {
        const name = string();
        expect(':');
        entries.push([name, value(depth + 1)]);
      });
      return namedValues(entries);
    }
    return text[at] === '"' ? string() : literal();
  }

  const parsed = value(0);
  skipSpace();
  if (at < text.length) fail();
  return parsed;
}

function isEscaped(text: string, quote: number): boolean {
  let before = quote;
  while (text[before - 1] === '\\') before--;
  return (quote - before) % 2 === 1;
}
