import { describe, expect, it } from 'vitest';
import { algorithms } from '../../src/objective/algorithm';
import type { RunConfig } from '../../src/run/config/config';
import type { Rollout } from '../../src/run/record/rollout-record';
import { tokenTexts } from '../../src/rl/token-changes';
import type { Policy } from '../../src/model/policy';
import { eventsOf, ofType, smallConfig, warmTable } from './runs';
import { tableTokenizer } from './table-policy';

const { optimizer } = smallConfig();

/** Rollouts of one step, and the policy before and after it. */
async function oneStep(changes: Partial<RunConfig> = {}) {
  const policy = await warmTable();
  const config = smallConfig({ steps: 1, ...changes });
  const before = await warmTable();
  const [{ rollouts }] = ofType(await eventsOf(policy, config, { watchesTokens: true }), 'rollouts');
  return { before, after: policy, rollouts };
}

async function logprobsOf(policy: Policy, { prompt, completion, finished }: Rollout): Promise<number[]> {
  const question = tableTokenizer.encode(prompt);
  const ids = [
    ...question,
    ...tableTokenizer.encode(completion),
    ...(finished ? tableTokenizer.stopIds : []),
  ];
  const { logprobs } = await policy.logprobs([ids], [question.length], { temperature: 1 });
  return [...logprobs[0]];
}

async function expectHonest({ before, after, rollouts }: Awaited<ReturnType<typeof oneStep>>): Promise<void> {
  const changed = rollouts.filter(({ byToken }) => byToken !== undefined);
  // the first prompt, and the next one whose shortcut is wrong
  const other = rollouts.find(
    ({ group, shortcutAnswer, goldAnswer }) =>
      group > 0 && shortcutAnswer !== null && shortcutAnswer !== goldAnswer,
  );
  const shown = rollouts.filter(({ group }) => group === 0 || group === (other?.group ?? 1));
  expect(changed).toEqual(shown);
  for (const rollout of changed) {
    const byToken = rollout.byToken!;
    (await logprobsOf(before, rollout)).forEach((value, i) =>
      expect(byToken.before[i]).toBeCloseTo(value, 4),
    );
    (await logprobsOf(after, rollout)).forEach((value, i) => expect(byToken.after[i]).toBeCloseTo(value, 4));
    expect(byToken.texts).toHaveLength(rollout.tokens);
    const mean = byToken.advantages.reduce((sum, value) => sum + value, 0) / rollout.tokens;
    expect(mean).toBeCloseTo(rollout.advantage, 4);
  }
  expect(changed.some(({ byToken }) => byToken!.after.some((value, i) => value !== byToken!.before[i]))).toBe(
    true,
  );
}

describe('what an update did to single tokens', () => {
  it.each<[string, Partial<RunConfig>]>([
    // The shortcut is wrong in the third prompt; with seed 10 in the second, and with seed 6 in none of them.
    ['the KL in the reward', {}],
    ['the KL in the loss', { seed: 10, algorithm: algorithms.grpo }],
    ['several updates', { seed: 6, optimizer: { ...optimizer, passes: 2, miniBatches: 3 } }],
    ['micro-batches', { optimizer: { ...optimizer, microBatch: 2 } }],
  ])('is recorded as log-probabilities before and after: %s', async (_, changes) => {
    await expectHonest(await oneStep(changes));
  });

  it('changes no bit of the step, and nothing is recorded without it', async () => {
    const config = smallConfig({ steps: 2 });
    const [watched, plain] = [await warmTable(), await warmTable()];
    const rows = async (policy: Policy, watchesTokens: boolean): Promise<unknown> =>
      ofType(await eventsOf(policy, config, { watchesTokens }), 'rollouts').map(({ rollouts }) =>
        rollouts.map(({ byToken, ...rest }) => {
          if (!watchesTokens) expect(byToken).toBeUndefined();
          return rest;
        }),
      );
    expect(await rows(watched, true)).toEqual(await rows(plain, false));
    expect(await watched.state()).toEqual(await plain.state());
  });
});

describe('the text of a token', () => {
  const written = new TextDecoder();
  /** Bytes as tokens: a character may have several. */
  const decode = (ids: readonly number[]): string => written.decode(new Uint8Array(ids));

  it('is the text that it adds to the previous tokens', () => {
    expect(tokenTexts([...new TextEncoder().encode('to be')], decode).join('')).toBe('to be');
    const ids = tableTokenizer.encode('start box ; so box');
    expect(tokenTexts(ids, (some) => tableTokenizer.decode(some))).toEqual([
      'start',
      ' box',
      ' ;',
      ' so',
      ' box',
    ]);
  });

  it('is a replacement character for part of a character', () => {
    expect(tokenTexts([...new TextEncoder().encode('né')], decode)).toEqual(['n', '\ufffd', '\ufffd']);
  });
});
