/** Questions that the model cannot encode are refused before the first step, whichever set they are in. */
import { expect, it } from 'vitest';
import { MarbleError } from '../../../src/base/error';
import type { Policy } from '../../../src/model/policy';
import { openItems } from '../../../src/rl/data';
import type { TrainOptions } from '../../../src/rl/trainer';
import type { RunConfig } from '../../../src/run/config/config';
import { itemsOf } from '../../tom/items';
import { eventsOf, ofType, smallConfig, warmTable } from '../runs';
import { createTablePolicy, tableTokenizer } from '../table-policy';

/** The table policy with a tokenizer that refuses a word which it does not know, as that of a small model does. */
function strictPolicy(): Policy {
  const policy = createTablePolicy();
  const encode = (text: string): number[] => {
    const ids = tableTokenizer.encode(text);
    const unknown = text.split(' ').filter((word) => word !== '')[ids.findIndex((id) => id === undefined)];
    if (unknown === undefined) return ids;
    throw new MarbleError(
      'model/unknown-word',
      `The vocabulary has no word "${unknown}".`,
      'Choose another.',
    );
  };
  return { ...policy, tokenizer: { ...tableTokenizer, encode } };
}

const own = itemsOf('swap', 60, 1, { orders: [1] });
/** The only question with an unknown word is one of training. */
const withUnknown = own.with(0, { ...own[0], question: `zebra ${own[0].question}` });
const elsewhere = own.map((item) => ({ ...item, dataset: 'mine', story: `zebra ${item.story}` }));
const long = own.map((item) => ({ ...item, dataset: 'mine', story: `${item.story} `.repeat(60) }));
const { data, evaluation } = smallConfig();
const onMine = { data: { ...data, source: 'imported:mine', orders: [1] } };
const testedOnMine = { evaluation: { ...evaluation, imported: ['mine'] } };

const unknown = /^model\/unknown-word The model ladder-25k cannot read a question of this run\. .*no word/;

const runs: [string, Partial<RunConfig>, TrainOptions, RegExp][] = [
  ['an unknown word in other tasks', { evaluation: { ...evaluation, taskItems: 5 } }, {}, unknown],
  ['an unknown word in an imported test', testedOnMine, { imported: { evaluation: elsewhere } }, unknown],
  ['an unknown word in imported training data', onMine, { imported: { training: withUnknown } }, unknown],
  ['a long prompt in a test', testedOnMine, { imported: { evaluation: long } }, /^rl\/prompt-too-long /],
];

it.each(runs)(
  '%s ends the run before its first step, with a remedy',
  async (_, changes, options, message) => {
    const config = smallConfig(changes);
    const events = await eventsOf(strictPolicy(), config, { ...options, evaluatesStartLater: true });
    expect(events.map(({ type }) => type)).toEqual(['failed']);
    const [{ error }] = ofType(events, 'failed');
    expect(`${error.code} ${error.message}`).toMatch(message);
    expect(error.nextStep).toMatch(message === unknown ? /first-run-135m/ : /rollout\.maxNewTokens/);
  },
);

/** A policy for which the prompt of the run's `at`-th training question has `length` tokens. */
async function withLongPrompt(config: RunConfig, at: number, length: number): Promise<Policy> {
  const { story } = openItems(config).training(at, 1)[0];
  const encode = (text: string): number[] =>
    text.startsWith(story) ? new Array<number>(length).fill(0) : tableTokenizer.encode(text);
  return { ...(await warmTable()), tokenizer: { ...tableTokenizer, encode } };
}

it('a later question that is too long ends the run after a checkpoint of the steps before it', async () => {
  const config = smallConfig();
  const events = await eventsOf(await withLongPrompt(config, 7, 300), config);
  expect(events.slice(-2)).toMatchObject([
    { type: 'checkpoint', checkpoint: { step: 2 } },
    { type: 'failed', error: { code: 'rl/prompt-too-long' } },
  ]);
});
