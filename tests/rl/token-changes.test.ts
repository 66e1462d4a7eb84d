import { describe, expect, it } from 'vitest';
import { algorithms, type AlgorithmName } from '../../src/objective/algorithm';
import type { RunConfig } from '../../src/run/config/config';
import type { Rollout } from '../../src/run/record/rollout-record';
import { tokenTexts } from '../../src/rl/token-changes';
import type { Policy } from '../../src/model/policy';
import { eventsOf, ofType, smallConfig, warmTable } from './runs';
import { tableTokenizer } from './table-policy';

const names = Object.keys(algorithms) as AlgorithmName[];

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
  expect(new Set(changed.map(({ group }) => group)).size).toBe(2);
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
  it.each(names)('is recorded as log-probabilities before and after: %s', async (name) => {
    await expectHonest(await oneStep({ algorithm: algorithms[name] }));
  });

  it.each([
    ['several updates', { passes: 2, miniBatches: 3 }],
    ['micro-batches', { microBatch: 2 }],
  ])('compares the policy that sampled with the final one: %s', async (_, changes) => {
    const { optimizer } = smallConfig();
    await expectHonest(await oneStep({ optimizer: { ...optimizer, ...changes } }));
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

  it('covers the first prompt, and the next one whose shortcut is wrong', async () => {
    const { rollouts } = await oneStep({
      rollout: { promptsPerStep: 12, samplesPerPrompt: 2, temperature: 1, maxNewTokens: 24 },
    });
    const isWrong = ({ group, shortcutAnswer, goldAnswer }: Rollout): boolean =>
      group > 0 && shortcutAnswer !== null && shortcutAnswer !== goldAnswer;
    const changed = rollouts.filter(({ byToken }) => byToken !== undefined);
    expect([...new Set(changed.map(({ group }) => group))]).toEqual([0, rollouts.find(isWrong)!.group]);
    expect(changed).toHaveLength(4);
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
    const texts = tokenTexts([...new TextEncoder().encode('né')], decode);
    expect(texts[0]).toBe('n');
    expect(texts).toHaveLength(3);
  });
});
