/** Type checks and error text for parsers of untrusted data. */

/** True if the value is an object and not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Formats any value for an error message, in at most 80 characters (numbers in full). */
export function shown(value: unknown): string {
  // JSON.stringify writes NaN as null.
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  // JSON.stringify throws on the 64-bit integers of Parquet files.
  const replaceBigint = (_: string, part: unknown): unknown =>
    typeof part === 'bigint' ? String(part) : part;
  try {
    const text = JSON.stringify(value, replaceBigint) ?? 'missing';
    return text.length > 80 ? `${text.slice(0, 77)}...` : text;
  } catch {
    return 'a value that is nested too deeply'; // V8 parses deeper JSON than it can write
  }
}

const STRING_OR_CONSTANT = /"(?:[^"\\]+|\\.)*"?|-?\b(?:NaN|Infinity)\b/gs;

/** Parses JSON as Python writes it, too: `NaN` and `Infinity` become null. @throws SyntaxError */
export function parsePythonJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    const plain = text.replace(STRING_OR_CONSTANT, (part) => (part.startsWith('"') ? part : 'null'));
    if (plain === text) throw thrown;
    return JSON.parse(plain);
  }
}
