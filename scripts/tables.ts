/** Tables of the docs that scripts write: rows of a metrics.csv, Markdown, and the marks around a table. */
import { readFileSync } from 'node:fs';

export type Row = Record<string, string>;

/** Rows of a metrics.csv by column. The file has no quoted commas. */
function csvRows(path: string): Row[] {
  const [head, ...lines] = readFileSync(path, 'utf8').trim().split('\r\n');
  const columns = head.split(',');
  return lines.map((line) => Object.fromEntries(line.split(',').map((cell, i) => [columns[i], cell])));
}

/** Rows of the steps and of the evaluations in a metrics.csv. */
export function metricRows(path: string): { steps: Row[]; evaluations: Row[] } {
  const rows = csvRows(path);
  const having = (name: string): Row[] => rows.filter((row) => (row[name] ?? '') !== '');
  return { steps: having('reward'), evaluations: having('eval/accuracy') };
}

export const markdownTable = (
  head: readonly (string | number)[],
  lines: readonly (readonly (string | number)[])[],
): string => [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** Replaces the part between `<!-- name: by … -->` and `<!-- end of name -->`. */
export function replaceMarked(text: string, name: string, part: string): string {
  const marked = new RegExp(`(<!-- ${name}: by [^>]*-->).*(<!-- end of ${name} -->)`, 's');
  if (!marked.test(text)) throw new Error(`The page has no marks of ${name}.`);
  return text.replace(marked, (_, begin: string, end: string) => `${begin}\n\n${part}\n\n${end}`);
}
