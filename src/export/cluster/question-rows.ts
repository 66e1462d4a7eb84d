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

/** Columns of verl's data files. TRL's script reads the same files. */
export interface Row {
  data_source: string;
  /** The rendered prompt as one user message. */
  prompt: [{ role: 'user'; content: string }];
  ability: string;
  reward_model: { style: 'rule'; ground_truth: string };
  extra_info: { split: 'train' | 'val'; index: number; item: string };
}

const REQUIRED = { repetition_type: 'REQUIRED' } as const;
const text = (name: string): SchemaElement => ({ name, type: 'BYTE_ARRAY', converted_type: 'UTF8', ...REQUIRED }); // prettier-ignore
const group = (name: string, ...children: SchemaElement[]): SchemaElement[] => [
  { name, num_children: children.length, ...REQUIRED },
  ...children,
];
const schema: SchemaElement[] = [
  { name: 'schema', num_children: 5 },
  text('data_source'),
  { name: 'prompt', num_children: 1, converted_type: 'LIST', ...REQUIRED },
  { name: 'list', num_children: 1, repetition_type: 'REPEATED' },
  ...group('element', text('role'), text('content')),
  text('ability'),
  ...group('reward_model', text('style'), text('ground_truth')),
  ...group('extra_info', text('split'), { name: 'index', type: 'INT64', ...REQUIRED }, text('item')),
];

/** Writes the rows as parquet in one row group. It is uncompressed, since the zip of the export is compressed. */
export function parquetOf(rows: readonly Row[]): Uint8Array<ArrayBuffer> {
  const cells: Record<keyof Row, unknown[]> = {
    data_source: rows.map((row) => row.data_source),
    prompt: rows.map(({ prompt }) => prompt),
    ability: rows.map(({ ability }) => ability),
    reward_model: rows.map((row) => row.reward_model),
    extra_info: rows.map(({ extra_info: { index, ...others } }) => ({ ...others, index: BigInt(index) })),
  };
  const columnData = Object.entries(cells).map(([name, data]) => ({ name, data }));
  const rowGroupSize = Math.max(1, rows.length);
  return new Uint8Array(parquetWriteBuffer({ columnData, schema, codec: 'UNCOMPRESSED', statistics: false, rowGroupSize })); // prettier-ignore
}

export interface Rows {
  train: Row[];
  val: Row[];
  /** Token ids of each training prompt, by Marble's tokenizer. */
  promptIds: number[][];
  /** Tokens of the longest prompt. */
  longestPrompt: number;
  items: Item[];
}

/** Limit on the rows, for the memory of a page. */
const MOST_ROWS = 100_000;
/** Items generated per call. */
const AT_ONCE = 512;

/**
 * @throws MarbleError `export/too-many-rows`, and errors of `openItems`, for example `tom/training-forbidden`
 */
export function exportRows(config: RunConfig, tokenizer: Tokenizer, imported: ImportedItems): Rows {
  const { promptsPerStep } = config.rollout;
  // Resampling replaces prompts by later ones, so the engine needs more prompts than it trains on.
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
  const valPrompts = source.suite.items.map((item) => renderPrompt(item, tokenizer));
  return {
    train: items.map((item, index) => rowOf(item, trainPrompts[index].text, 'train', index)),
    val: source.suite.items.map((item, index) => rowOf(item, valPrompts[index].text, 'val', index)),
    promptIds: trainPrompts.map(({ ids }) => ids),
    longestPrompt: [...trainPrompts, ...valPrompts].reduce((most, { ids }) => Math.max(most, ids.length), 1),
    items,
  };
}

function rowOf(item: Item, content: string, split: 'train' | 'val', index: number): Row {
  return {
    data_source: item.dataset,
    prompt: [{ role: 'user', content }],
    ability: 'theory-of-mind',
    reward_model: { style: 'rule', ground_truth: item.answer },
    extra_info: { split, index, item: JSON.stringify(rewardItem(item)) },
  };
}
