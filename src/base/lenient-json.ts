/**
 * JSON as programs write it. Python's `NaN` and `Infinity` are numbers, integers keep all their digits, and a repeated name
 * has no value. `JSON.parse` refuses the first two constants, rounds large integers and keeps the last of two values.
 */

/** A value that is refused when it is read, so that it does no harm in a column that nothing reads. */
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

/** Object with these entries. The value of a name that occurs twice is unreadable. */
export function namedValues(entries: Iterable<readonly [string, unknown]>): Record<string, unknown> {
  const values = new Map<string, unknown>();
  for (const [name, value] of entries)
    values.set(name, values.has(name) ? new Unreadable('occurs twice') : value);
  return Object.fromEntries(values);
}

/** @throws SyntaxError that names the place; deeper nesting than the call stack allows is one too */
export function parseLenientJson(text: string): unknown {
  let at = 0;

  function fail(): never {
    const lines = text.slice(0, at).split('\n');
    const line = lines.length > 1 ? `line ${lines.length}, ` : '';
    const found = at < text.length ? JSON.stringify(text.slice(at, at + 10)) : 'end';
    throw new SyntaxError(`${line}character ${lines[lines.length - 1].length + 1}: unexpected ${found}`);
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
    const found = LITERAL.exec(text)?.[0] ?? fail();
    at += found.length;
    if (constants.has(found)) return constants.get(found);
    const number = Number(found);
    return /^-?\d+$/.test(found) && !Number.isSafeInteger(number) ? BigInt(found) : number;
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
