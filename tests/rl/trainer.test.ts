import { describe, expect, it, vi } from 'vitest';
import { algorithms } from '../../src/objective/algorithm';
import type { Control } from '../../src/rl/control';
import { openItems } from '../../src/rl/data';
import { gatherSamples } from '../../src/rl/gather';
import { newTrainerState, type Run, type TrainerState } from '../../src/rl/trainer-state';
import { batchOf } from '../../src/run/recording/step-batch';
import type { Policy } from '../../src/model/policy';
import { eventsOf, lastCheckpoint, ofType, recordsOf, smallConfig, warmTable } from './runs';

describe('a run', () => {
  it('names its metrics as TRL does', async () => {
    const [record] = recordsOf(await eventsOf(await warmTable(), smallConfig({ steps: 1 })));
    for (const name of [
      ...['reward', 'reward_std', 'frac_reward_zero_std', 'rewards/format/mean', 'rewards/answer/std'],
      ...['kl', 'entropy', 'clip_ratio/region_mean', 'grad_norm', 'learning_rate', 'num_tokens'],
      ...['mean_length', 'min_length', 'max_length'].map((length) => `completions/${length}`),
      ...['completions/clipped_ratio', 'completions/mean_terminated_length', 'trace/validity'],
      ...['think/mean_length', 'think/empty_fraction', 'think/reflection_words'],
    ]) {
      expect(record, name).toHaveProperty([name]);
      expect(Number.isFinite(record[name]), name).toBe(true);
    }
  });

  it('leaves the process its signals after each event of a step and of an evaluation', async () => {
    let now = 1e9; // a clock that every look advances by a second
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 1000));
    const timers = vi.spyOn(globalThis, 'setTimeout');
    const events = await eventsOf(await warmTable(), smallConfig({ steps: 1 }));
    const yields = timers.mock.calls.length;
    vi.restoreAllMocks();
    const ticks = ofType(events, 'progress').filter(({ phase }) => phase !== 'compile').length;
    expect(ticks).toBeGreaterThan(5);
    expect(yields).toBeGreaterThanOrEqual(ticks);
  });
});

it.each([
  ['rl', 1],
  ['sft-answers', 0],
] as const)('a run by %s compiles %i passes of the reference ahead', async (method, passes) => {
  const policy = await warmTable();
  const adapters: unknown[] = [];
  const logprobs: typeof policy.logprobs = (sequences, prompts, options) => {
    adapters.push(options?.adapter);
    return policy.logprobs(sequences, prompts, options);
  };
  policy.compileAhead = async (work) => {
    await work({ ...policy, logprobs });
    return 0;
  };
  const events = await eventsOf(policy, smallConfig({ method, steps: 1 }));
  expect(events.at(-1)!.type).toBe('done');
  expect(adapters.filter((adapter) => adapter === 'off')).toHaveLength(passes);
});

// equality with a run that never stopped: whole-runs/interruption.test.ts
describe('a resumed run', () => {
  it('is done at once if it was complete', async () => {
    const config = smallConfig({ steps: 2 });
    const resume = lastCheckpoint(await eventsOf(await warmTable(), config));
    expect(await eventsOf(await warmTable(), config, { resume })).toEqual([{ type: 'done', step: 2 }]);
    const beyond = await eventsOf(await warmTable(), config, { resume: { ...resume, step: 9 } });
    expect(beyond.at(-1)).toEqual({ type: 'done', step: 9 });
  });

  it.each(['outcomes', 'hard'] as const)('refuses a checkpoint whose test had other %s', async (set) => {
    const config = smallConfig({ steps: 2 });
    const evaluation = { ...config.evaluation, hardItems: config.evaluation.items + 1 };
    const asked = { ...config, evaluation };
    const resume = structuredClone(lastCheckpoint(await eventsOf(await warmTable(), asked)));
    const outcomes = (resume.trainer as unknown as TrainerState).baseline![set]!;
    outcomes.order = `z${outcomes.order.slice(1)}`;
    const events = await eventsOf(await warmTable(), asked, { resume });
    expect(events.map((event) => (event.type === 'failed' ? event.error.code : event.type))).toEqual([
      'rl/other-test',
    ]);
  });
});

it.each([
  // 64 tokens hold each prompt, and 24 each sample
  ['whole prompts', 2 * (64 + 4 * 24), [8, 4]],
  ['halves of one prompt', 64 + 2 * 24, [2, 2, 2, 2, 2, 2]],
])('a batch that does not fit is sampled in calls of %s and counted', async (_, tokens, expected) => {
  const policy = await warmTable();
  const calls: number[] = [];
  // The KV cache of this many tokens fits into memory.
  const layers = Math.floor(512e6 / tokens / (2 * 4 * 43));
  const large: typeof policy = {
    ...policy,
    config: { ...policy.config, layers },
    generate: async (prompts, options) => {
      const isTraining = options.temperature > 0 && (options.stream ?? 0) < 2 ** 31;
      if (isTraining) calls.push(prompts.length * options.samplesPerPrompt);
      await options.onProgress?.(5, 1);
      return policy.generate(prompts, options);
    },
  };
  const events = await eventsOf(large, smallConfig({ steps: 1 }));
  expect(calls).toEqual(expected);
  const ticks = ofType(events, 'progress').filter(({ phase }) => phase === 'rollout');
  const before = calls.map((_, call) => calls.slice(0, call).reduce((sum, rows) => sum + rows, 0));
  expect(ticks.map(({ count }) => count)).toEqual(
    before.flatMap((done) => [done, done + 1].map((one) => ({ done: one, total: 12 }))),
  );
  expect(ticks.map(({ fraction }) => fraction * calls.length)).toEqual(
    calls.flatMap((_, call) => [call, call + 5 / 24].map((part) => expect.closeTo(part, 9) as number)),
  );
  const [{ rollouts }] = ofType(events, 'rollouts');
  expect(rollouts.map(({ group, sample }) => [group, sample])).toEqual(
    [0, 1, 2].flatMap((group) => [0, 1, 2, 3].map((sample) => [group, sample])),
  );
  expect(new Set(rollouts.map(({ completion }) => completion)).size).toBeGreaterThan(6);
});

it('no two calls of a run draw from the same stream, however many steps it has', async () => {
  const table = await warmTable();
  const streams: string[] = [];
  const policy: typeof table = {
    ...table,
    config: { ...table.config, layers: 1e6 }, // one sample a call
    generate: (prompts, options) => {
      streams.push(`${options.seed} ${options.stream}`);
      return table.generate(prompts, options);
    },
  };
  const config = smallConfig();
  const run: Run = { policy, config, source: openItems(config), state: newTrainerState(config) };
  const nothing = () => Promise.resolve();
  const control = { tick: nothing, alert: nothing } as unknown as Control;
  for (const step of [1, 2, 2 ** 17, 2 ** 17 + 1, 200_000]) await gatherSamples(run, step, control);
  expect(streams).toHaveLength(5 * 12);
  expect(new Set(streams).size).toBe(streams.length);
});

it('a step without a token in its loss has no divergence, and leaves an adaptive coefficient alone', async () => {
  const kl = { ...algorithms.grpo.kl, coefficient: 0.01, target: 0.05, horizon: 12 };
  const algorithm = { ...algorithms.grpo, kl, maskTruncated: true };
  const rollout = { ...smallConfig().rollout, maxNewTokens: 2 };
  const events = await eventsOf(await warmTable(), smallConfig({ steps: 2, algorithm, rollout }));
  const records = recordsOf(events);
  expect(records.map((record) => record['completions/clipped_ratio'])).toEqual([1, 1]);
  for (const name of ['kl', 'clip_ratio/region_mean']) expect(records[0]).not.toHaveProperty([name]);
  expect(records.map((record) => record.kl_coefficient)).toEqual([0.01, 0.01]);
});

describe('dynamic sampling', () => {
  const sampling = { ...algorithms.dapo, resampleRounds: 1, overlongBuffer: 0 };

  it('uses the reward without length terms, which make the samples of every group differ', async () => {
    const lengthy = { ...sampling, overlongBuffer: 24, lengthPenalty: 0.5 };
    const events = await eventsOf(await warmTable(), smallConfig({ steps: 3, algorithm: lengthy }));
    const plain = await eventsOf(await warmTable(), smallConfig({ steps: 1, algorithm: sampling }));
    expect(recordsOf(plain)[0].resampled_prompts).toBeGreaterThan(0);
    expect(recordsOf(events)[0].resampled_prompts).toBe(recordsOf(plain)[0].resampled_prompts);
    expect(recordsOf(events)[0].reward_std).toBeGreaterThan(0);
  });

  it.each(['token-mean', 'sequence-mean'] as const)(
    'leaves groups that it could not replace out of the loss and its totals (%s), and records that',
    async (aggregation) => {
      const kl = { ...algorithms.grpo.kl, coefficient: 0.01, target: 0.05, horizon: 100 };
      const algorithm = { ...sampling, aggregation, kl, entropyCoefficient: 0.1 };
      const config = smallConfig({ steps: 2, seed: 2, algorithm });
      const { promptsPerStep, samplesPerPrompt } = config.rollout;
      /** Every prompt except the first one drawn repeats its first sample. */
      const monotonous = async (): Promise<Policy> => {
        const policy = await warmTable();
        let calls = 0;
        return {
          ...policy,
          generate: async (prompts, options) => {
            const completions = await policy.generate(prompts, options);
            if (options.samplesPerPrompt === 1) return completions; // an evaluation
            const isFirstCall = calls++ === 0;
            return completions.map((completion, row) =>
              isFirstCall && row < samplesPerPrompt
                ? completion
                : completions[row - (row % samplesPerPrompt)],
            );
          },
        };
      };
      const events = await eventsOf(await monotonous(), config);
      const [record, next] = recordsOf(events);
      expect(record.padded_prompts).toBe(promptsPerStep - 1);
      expect(ofType(events, 'alert').map(({ alert }) => alert.code)).toContain('rl/out-of-prompts');
      const [{ rollouts }] = ofType(events, 'rollouts');
      expect(rollouts.filter(({ group }) => group > 0).every(({ advantage }) => advantage === 0)).toBe(true);
      const { groups } = batchOf(rollouts, config, record); // the picture of the update
      expect(groups).toEqual(Array<number>(samplesPerPrompt).fill(groups[0]));

      // The accepted group alone gives the same step.
      const alone = { ...config, rollout: { ...config.rollout, promptsPerStep: 1 } };
      const [single, afterIt] = recordsOf(await eventsOf(await monotonous(), alone));
      expect(single.padded_prompts).toBeUndefined();
      expect(record.loss).toBeCloseTo(single.loss, 12);
      expect(record.grad_norm).toBeCloseTo(single.grad_norm, 9);
      expect(record.grad_norm).toBeGreaterThan(0);
      expect(next.kl_coefficient).toBe(afterIt.kl_coefficient);
      expect(next.kl_coefficient).toBeLessThan(0.01);
    },
  );

  it('replaces prompts whose samples all earned the same', async () => {
    const algorithm = { ...sampling, resampleRounds: 20 };
    const records = recordsOf(await eventsOf(await warmTable(), smallConfig({ steps: 3, algorithm })));
    expect(records.map((record) => record.frac_reward_zero_std)).toEqual([0, 0, 0]);
    expect(records.some((record) => record.resampled_prompts > 0)).toBe(true);
  });
});
