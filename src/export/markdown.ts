/** Texts from outside in Markdown: addresses, instructions and names keep their characters and mark up nothing. */

const onOneLine = (text: string): string => text.replaceAll(/\s+/gu, ' ').trim();

/** Escapes every character that Markdown, HTML or a link could begin with. */
export function escaped(text: string): string {
  return onOneLine(text)
    .replaceAll(/[\\`*_{}[\]()#!|<>~:&@]/g, String.raw`\$&`)
    .replaceAll(/www\./gi, (found) => `${found.slice(0, -1)}\\.`);
}

/** A code span, fenced by more backticks than the text has in a row. */
export function code(text: string): string {
  const line = onOneLine(text);
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `\`${line}\`` : `${fence} ${line} ${fence}`;
}
