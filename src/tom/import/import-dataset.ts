/**
 * Imports external data sets from a file that the user gives: detects the format, previews the mapping, and imports the
 * whole file or nothing. This module stores nothing.
 */
import type { Item } from '../item';
import { checkKeys } from '../../base/known-keys';
import { isRecord } from '../../base/untrusted';
import { builtInTasks } from '../worlds/orders';
import { createBudget, refuse } from './limits';
import { exploretom, gsm8k, hitom, plain, tomi, tomRl } from './data-sets';
import { Columns, finish, type DatasetReader } from './reader';
import { readRows, type Format, type RowSet, type SourceRow } from './source-rows';

/** In matching order, most specific first. */
const readers: readonly DatasetReader[] = [tomRl, hitom, exploretom, tomi, gsm8k, plain];

export interface ImportOptions {
  /** Name for a data set of the user's own, instead of `own`. */
  name?: string;
}

export interface ImportPreview {
  format: Format;
  dataset: string;
  licence: string;
  /** Item field to the column of the file that it comes from. */
  mapping: Record<string, string>;
  rows: number;
  /** The items of the first rows. */
  sample: Item[];
}

export interface ImportedDataset extends Omit<ImportPreview, 'sample'> {
  items: Item[];
  /** Number of questions left out, by reason. */
  skipped: Record<string, number>;
}

/** Number of rows in a preview. */
const SHOWN_ROWS = 3;

/** Previews an import. Converts only the first rows into items. @throws MarbleError those of `importDataset` */
export async function previewDataset(file: Blob): Promise<ImportPreview> {
  const { reader, source } = await open(file);
  const budget = createBudget();
  const sample = source.rows.slice(0, SHOWN_ROWS).flatMap((row) => {
    const read = reader.read(new Columns(row));
    return typeof read === 'string' ? [] : finish(reader, row.row, read, budget);
  });
  return { ...describe(reader, source), sample };
}

/**
 * Imports all items of a file.
 *
 * @throws `tom/file-too-big`, `tom/bad-file`, `tom/unknown-format`, `tom/too-many-rows`, `tom/row-too-big`,
 * `tom/bad-row`
 */
export async function importDataset(file: Blob, options: ImportOptions = {}): Promise<ImportedDataset> {
  checkKeys('importDataset', options, { name: true });
  const { reader, source } = await open(file);
  const named = reader === plain ? { ...reader, name: ownName(options.name ?? reader.name) } : reader;
  const skipped: Record<string, number> = {};
  const items: Item[] = [];
  const budget = createBudget();
  for (const row of source.rows) {
    const read = reader.read(new Columns(row));
    if (typeof read === 'string') skipped[read] = (skipped[read] ?? 0) + 1;
    else items.push(...finish(named, row.row, read, budget));
  }
  if (items.length === 0) {
    throw refuse(
      'bad-file',
      `The file holds no usable question (${Object.keys(skipped).join(', ')}).`,
      'Choose a file with open questions.',
    );
  }
  return { ...describe(reader, source), items, skipped };
}

/** A name of the user that is no name of a built-in data set or task, whose row of the results would include it. */
function ownName(name: string): string {
  const builtIn = Object.entries(builtInTasks).flat();
  return builtIn.some((known) => known.toLowerCase() === name.trim().toLowerCase()) ? `${name} (own)` : name;
}

function describe(reader: DatasetReader, { format, rows }: RowSet): Omit<ImportPreview, 'sample'> {
  const { name, licence, mapping } = reader;
  return { format, dataset: name, licence, mapping, rows: rows.length };
}

async function open(file: Blob): Promise<{ reader: DatasetReader; source: RowSet }> {
  const source = await readRows(file);
  const [first] = source.rows;
  if (first === undefined)
    throw refuse('unknown-format', 'The file holds no rows.', 'Choose a file with at least one row.');
  const reader = readers.find(({ fits }) => fits(first, source.format));
  if (reader === undefined) {
    throw refuse(
      'unknown-format',
      `The columns of the first row (${columnNames(first)}) match no known data set.`,
      `Known data sets: ${readers.map(({ name }) => name).join(', ')}. A file of your own needs the columns question and answer; a column story is optional.`,
    );
  }
  return { reader, source };
}

function columnNames({ value }: SourceRow): string {
  if (Array.isArray(value)) return 'a list';
  return isRecord(value) ? Object.keys(value).slice(0, 12).join(', ').slice(0, 200) : typeof value;
}
