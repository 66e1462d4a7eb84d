/** The questions of a run as rows: training's in the order in which the run asks them, and the evaluation set. */
import { MarbleError } from '../error';
import type { Tokenizer } from '../model/tokenizer/tokenizer';
import { openItems, type ImportedItems } from '../rl/data';
import type { RunConfig } from '../run/config';
import type { Item } from '../tom/item';
import { formatPrompt } from '../tom/prompts';
import type { Columns } from './parquet-writer';
import { rewardItem } from './reward-item';

/** verl's columns; TRL's script reads the same file. */
export interface Row {
  data_source: string;
  /** One user message that is the whole prompt. */
  prompt: { role: 'user'; content: string };
  ability: string;
  reward_model: { style: 'rule'; ground_truth: string };
  extra_info: { split: 'train' | 'val'; index: number; item: string };
}

const text = { kind: 'text' } as const;
export const rowColumns: Columns = {
  data_source: text,
  prompt: { kind: 'list', columns: { role: text, content: text } },
  ability: text,
  reward_model: { kind: 'struct', columns: { style: text, ground_truth: text } },
  extra_info: { kind: 'struct', columns: { split: text, index: { kind: 'integer' }, item: text } },
};

export interface Rows {
  train: Row[];
  val: Row[];
  /** Token ids of each training prompt, by Marble's tokenizer. */
  promptIds: number[][];
  /** Tokens of the longest prompt. */
  longestPrompt: number;
  items: Item[];
}

/** More would not fit into a page's memory. */
const MOST_ROWS = 100_000;
/** Items drawn at once. */
const AT_ONCE = 512;

/**
 * @throws MarbleError `export/too-many-rows`, and what `openItems` throws: `tom/training-forbidden` among them
 */
export function exportRows(config: RunConfig, tokenizer: Tokenizer, imported: ImportedItems): Rows {
  const { promptsPerStep } = config.rollout;
  // Prompts that are replaced take the next ones, so that more are needed than are trained on.
  const count = config.steps * promptsPerStep * (config.algorithm.resampleRounds + 1);
  if (count > MOST_ROWS) {
    throw new MarbleError(
      'export/too-many-rows',
      `The run asks for ${count} prompts; at most ${MOST_ROWS} are exported.`,
      'Lower the steps, the prompts per step or the rounds of resampling.',
    );
  }
  const source = openItems(config, imported);
  const items: Item[] = [];
  while (items.length < count)
    items.push(...source.training(items.length, Math.min(AT_ONCE, count - items.length)));
  const drawn = items.map((item) => renderPrompt(item, tokenizer));
  const judged = source.suite.items.map((item) => renderPrompt(item, tokenizer));
  return {
    train: items.map((item, index) => rowOf(item, drawn[index].text, 'train', index)),
    val: source.suite.items.map((item, index) => rowOf(item, judged[index].text, 'val', index)),
    promptIds: drawn.map(({ ids }) => ids),
    longestPrompt: [...drawn, ...judged].reduce((most, { ids }) => Math.max(most, ids.length), 1),
    items,
  };
}

/** A prompt as text and as the ids that Marble's model reads. */
export function renderPrompt(item: Item, tokenizer: Tokenizer): { text: string; ids: number[] } {
  const prompt = formatPrompt(item, tokenizer.hasChatTemplate ? 'chat' : 'compact');
  if (prompt.kind === 'text') return { text: prompt.text, ids: tokenizer.encode(prompt.text) };
  return {
    text: tokenizer.chatText(prompt.messages) + prompt.prefill,
    ids: [...tokenizer.chat(prompt.messages), ...tokenizer.encode(prompt.prefill)],
  };
}

function rowOf(item: Item, content: string, split: 'train' | 'val', index: number): Row {
  return {
    data_source: item.dataset,
    prompt: { role: 'user', content },
    ability: 'theory-of-mind',
    reward_model: { style: 'rule', ground_truth: item.answer },
    extra_info: { split, index, item: JSON.stringify(rewardItem(item)) },
  };
}
