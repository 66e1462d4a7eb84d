/**
 * Id of an imported data set: its name and a hash of its items' content. The id is part of a run's settings and link. The
 * same file under the same name gives the same id, and different items give a different id.
 */
import { sha256 } from '../../base/digest';
import type { Item } from '../item';

/** @returns the id, and the size of the items' content in bytes */
export async function identifyDataset(
  name: string,
  items: readonly Item[],
): Promise<{ id: string; bytes: number }> {
  const text = await bytesOf(items);
  return { id: `${nameInId(name)}-${(await sha256(text)).slice(0, 16)}`, bytes: text.byteLength };
}

/** Name of the data set in a file, unless its user gives another one. */
export const datasetNameOf = (fileName: string): string =>
  fileName.replace(/\.\w+$/, '').slice(0, 60) || 'data';

/** The part of an id before its hash. */
export const nameOfId = (id: string): string => id.replace(/-[0-9a-f]{16}$/, '');

/** Content of all items, one per line. A Blob, since the text can exceed the maximum string length. */
function bytesOf(items: readonly Item[]): Promise<ArrayBuffer> {
  return new Blob(items.map((item, index) => (index === 0 ? '' : '\n') + contentOf(item))).arrayBuffer();
}

/** Content of an item, independent of its import and of the solver. The data set implies the rule of scoring, but not its lists. */
function contentOf({ dataset, story, question, answer, order, choices = [], scoring }: Item): string {
  const { right, wrong } = { right: [], wrong: [], ...scoring };
  const lists = [right, wrong].filter(({ length }) => length > 0);
  return JSON.stringify([dataset, story, question, answer, order, choices, ...lists]);
}

/** Restricts a name to letters, digits, dots, dashes and underscores, for use in a link. */
function nameInId(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/[^\w.-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return plain.slice(0, 40) || 'data';
}
