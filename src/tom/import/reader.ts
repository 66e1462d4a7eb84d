/** The interface of an importer: which rows it recognises, and how it maps them to items. */
import { isRecord, parsePythonJson, shown } from '../../base/untrusted';
import type { MarbleError } from '../../base/error';
import { createRandom } from '../../base/random';
import type { Item } from '../item';
import { hashOf, storyIdOf } from '../stories';
import { badRow, type Budget } from './limits';
import { type Format, type SourceRow } from './source-rows';

/** Reports write the order of an item as one digit in base 36. */
const MOST_ORDER = 35;
/** Each kind names a row of the table of tasks. */
const LONGEST_KIND = 200;

export interface DatasetReader {
  name: string;
  licence: string;
  /** Item field to the column of a row that it comes from; the preview shows it. */
  mapping: Record<string, string>;
  /** True if the first row belongs to this data set. */
  fits: (first: SourceRow, format: Format) => boolean;
  /** The items of one row, or the reason why it is left out. */
  read: (columns: Columns) => Draft[] | string;
}

/** An item without ids. */
export type Draft = Omit<Item, 'id' | 'storyId' | 'dataset'> & {
  dataset?: string;
};

/** Typed access to the columns of a row; an error names the missing column. */
export class Columns {
  private readonly columns: Record<string, unknown>;

  constructor(readonly source: SourceRow) {
    if (!isRecord(source.value)) throw badRow(source.row, 'is not an object with named columns');
    this.columns = source.value;
  }

  text(name: string, value = this.any(name)): string {
    const text = cellText(value);
    if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value))
      throw this.bad(name, 'has a number with more digits than can be read; write it as text');
    if (text === null) throw this.bad(name, `should be text, but is ${shown(value)}`);
    if (/\p{Surrogate}/u.test(text)) throw this.bad(name, 'has half of a character (a lone surrogate)');
    return text;
  }

  integer(name: string): number {
    const value = this.any(name);
    const number = Number(cellText(value) ?? NaN);
    if (!Number.isInteger(number)) throw this.bad(name, `should be a whole number, but is ${shown(value)}`);
    return number;
  }

  /** Reads a list, or a JSON list in a text cell. */
  names(name: string): string[] {
    const value = this.any(name);
    const list = typeof value === 'string' ? listOf(value) : value;
    if (!Array.isArray(list))
      throw this.bad(name, `should be a list of texts such as ["box", "jar"], but is ${shown(value)}`);
    return Array.from(list, (entry: unknown, index) => this.text(`${name}[${index}]`, given(entry)));
  }

  /** The value of a column; undefined if it is missing, null or an empty text. */
  any(name: string): unknown {
    return Object.hasOwn(this.columns, name) ? given(this.columns[name]) : undefined;
  }

  has(...names: string[]): boolean {
    return names.every((name) => this.any(name) !== undefined);
  }

  /** Error for a column of this row. */
  bad(name: string, what: string): MarbleError {
    return badRow(this.source.row, `column "${name}" ${what}`);
  }
}

function given(value: unknown): unknown {
  return value === null || (typeof value === 'string' && value.trim() === '') ? undefined : value;
}

/** The text of a cell, the same from every format; null if the cell holds no text, number or boolean. */
function cellText(value: unknown): string | null {
  const isPlain = ['string', 'boolean', 'bigint'].includes(typeof value) || Number.isFinite(value);
  return isPlain ? String(value) : null;
}

function listOf(text: string): unknown {
  try {
    return parsePythonJson(text);
  } catch {
    return null;
  }
}

/** True if a row is an object with all of these columns. */
export function hasColumns(row: SourceRow, ...names: string[]): boolean {
  const { value } = row;
  return isRecord(value) && names.every((name) => Object.hasOwn(value, name));
}

/** Shuffles choices by a hash of the item's text, so their order carries no information about the answer. */
export function shuffledChoices(choices: readonly string[], text: string): string[] {
  return createRandom(...hashOf(text)).shuffle(choices);
}

/**
 * Adds ids to the items of one row. All of them share one story, even if it is told in two styles.
 *
 * @param budget remaining cost for all items of the file; each item counts its story
 * @throws `tom/bad-row`, `tom/too-many-rows`, `tom/row-too-big`, `tom/file-too-big`
 */
export function finish(reader: DatasetReader, row: number, drafts: readonly Draft[], budget: Budget): Item[] {
  const [first] = drafts;
  return drafts.map((draft, index) => {
    const dataset = draft.dataset ?? reader.name;
    const { order, kind = '' } = draft;
    if (order > MOST_ORDER)
      throw badRow(row, `asks at order ${order}, and the highest order is ${MOST_ORDER}`);
    for (const name of [dataset, kind]) {
      if (name.length > LONGEST_KIND)
        throw badRow(
          row,
          `has a kind or a name of ${name.length} characters; at most ${LONGEST_KIND} are read`,
        );
    }
    const item: Item = {
      ...draft,
      // ExploreToM's questions without a belief have order -1.
      order: Math.max(0, order),
      dataset,
      id: drafts.length === 1 ? `${dataset}:${row}` : `${dataset}:${row}.${index + 1}`,
      storyId: storyIdOf(first.dataset ?? reader.name, first.story),
    };
    budget.keep(row, item);
    return item;
  });
}
