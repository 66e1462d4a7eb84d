/** The questions of a run as rows: the training prompts in training order, and the evaluation set. */
import type { SchemaElement } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { MarbleError } from '../../base/error';
import type { Tokenizer } from '../../model/tokenizer/tokenizer';
import { openItems, type ImportedItems } from '../../rl/data';
import { renderPrompt } from '../../rl/rollout';
import type { RunConfig } from '../../run/config/config';
import type { Item } from '../../tom/item';
import { rewardItem } from './reward-program';

/** Row of the data files. */
export interface Row {
  /** The rendered prompt. */
  prompt: string;
  /** `rewardItem` as JSON. */
  item: string;
}

const column = (name: string): SchemaElement => ({ name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' }); // prettier-ignore
const schema: SchemaElement[] = [{ name: 'schema', num_children: 2 }, column('prompt'), column('item')];

/** Writes the rows as parquet in one row group. It is uncompressed, since the zip of the export is compressed. */
export function parquetOf(rows: readonly Row[]): Uint8Array<ArrayBuffer> {
  const columnData = (['prompt', 'item'] as const).map((name) => ({
    name,
    data: rows.map((row) => row[name]),
  }));
  const rowGroupSize = Math.max(1, rows.length);
  return new Uint8Array(parquetWriteBuffer({ columnData, schema, codec: 'UNCOMPRESSED', statistics: false, rowGroupSize })); // prettier-ignore
}

export interface Rows {
  train: Row[];
  val: Row[];
  /** Token ids of each training prompt, by Marble's tokenizer. */
  promptIds: number[][];
  items: Item[];
}

/** Limit on the rows, for the memory of a page. */
const MOST_ROWS = 100_000;
/** Items generated per call. */
const AT_ONCE = 512;

/**
 * @throws MarbleError `export/too-many-rows`, and errors of `openItems`, for example `rl/no-items`
 */
export function exportRows(config: RunConfig, tokenizer: Tokenizer, imported: ImportedItems): Rows {
  const { promptsPerStep } = config.rollout;
  // Resampling replaces prompts by later ones, so TRL needs more prompts than it trains on.
  const count = config.steps * promptsPerStep * (config.algorithm.resampleRounds + 1);
  if (count > MOST_ROWS) {
    throw new MarbleError(
      'export/too-many-rows',
      `The run needs ${count} prompts; the limit of an export is ${MOST_ROWS}.`,
      'Lower the steps, the prompts per step or the rounds of resampling.',
    );
  }
  const source = openItems(config, imported);
  const items: Item[] = [];
  while (items.length < count)
    items.push(...source.training(items.length, Math.min(AT_ONCE, count - items.length)));
  const trainPrompts = items.map((item) => renderPrompt(item, tokenizer));
  return {
    train: items.map((item, index) => rowOf(item, trainPrompts[index].text)),
    val: source.suite.items.map((item) => rowOf(item, renderPrompt(item, tokenizer).text)),
    promptIds: trainPrompts.map(({ ids }) => ids),
    items,
  };
}

const rowOf = (item: Item, prompt: string): Row => ({ prompt, item: JSON.stringify(rewardItem(item)) });
