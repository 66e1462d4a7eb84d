import { describe, expect, it } from 'vitest';
import { algorithms, type AlgorithmName } from '../../src/objective/algorithm';
import type { RewardParts } from '../../src/reward/types';
import { noSignalAlert } from '../../src/run/verdict/alert-rules';
import { createTablePolicy } from './table-policy';
import { eventsOf, lastCheckpoint, ofType, recordsOf, smallConfig, warmTable } from './runs';

const config = smallConfig({ steps: 2 });
const codes = async (events: ReturnType<typeof eventsOf>): Promise<string[]> =>
  ofType(await events, 'alert').map(({ alert }) => alert.code);

/** Samples. The first `whole` have the format and earn more. */
const samples = (
  count: number,
  whole: number,
  {
    part = 'format',
    finished = true,
    ...scored
  }: Partial<RewardParts> & { part?: string; finished?: boolean } = {},
) =>
  Array.from({ length: count }, (_, at) => ({
    completion: `answer ${at}`,
    finished,
    reward: {
      ...{
        total: at < whole ? 1 : 0,
        parts: [{ name: part, value: 0, reason: '' }],
        formatHolds: at < whole,
      },
      ...{ correct: false, answer: null, think: '', trace: null, ...scored },
    },
  }));
const world = { trace: { statements: [] } as never };
const cut = { finished: false };
const custom = { part: 'custom' };

describe('a first step without a signal', () => {
  it('ends a run that needs a signal before its update, after a checkpoint, and shows two answers', async () => {
    const policy = createTablePolicy();
    const before = (await policy.state()).parameters;
    const events = await eventsOf(policy, config, { needsSignal: true });
    const [checkpoint, failed] = events.slice(-2);
    expect(failed).toMatchObject({ type: 'failed', error: { code: 'rl/no-signal' } });
    const [{ error }] = ofType(events, 'failed');
    expect(error.message).toMatch(
      /all 12 answers .* earned the same \(-3\)\. Two of the answers: “.+” and “.+”\.$/,
    );
    expect(error.nextStep).toContain('--anyway');
    expect(checkpoint).toMatchObject({ type: 'checkpoint', checkpoint: { step: 0 } });
    expect(recordsOf(events)).toEqual([]);
    expect((await policy.state()).parameters).toEqual(before);

    // The evaluation is saved: resumed without the requirement, the run equals one that never stopped.
    const resume = lastCheckpoint(events);
    const anyway = await eventsOf(createTablePolicy(), config, { resume });
    expect(ofType(anyway, 'eval').map(({ report }) => report.step)).toEqual([2]);
    const [alert, step] = anyway.filter(({ type }) => type === 'alert' || type === 'step');
    expect(alert).toMatchObject({ alert: { step: 1, code: 'rl/no-signal', severity: 'error' } });
    expect(step.type).toBe('step');
    expect(recordsOf(anyway)).toEqual(recordsOf(await eventsOf(createTablePolicy(), config)));
  });

  it('refers to the first step on rewards after a warm start, also in a run that resumes there', async () => {
    const warmStart = { updates: 2, examples: 6, learningRate: 1e-6, warmupUpdates: 0 };
    const warm = smallConfig({ steps: 4, warmStart });
    const events = await eventsOf(createTablePolicy(), warm, { needsSignal: true });
    expect(ofType(events, 'failed')[0].error).toMatchObject({
      code: 'rl/no-signal',
      nextStep: expect.stringContaining('Lengthen the warm start') as string,
    });
    expect(recordsOf(events).map(({ step }) => step)).toEqual([1, 2]);
    const resume = lastCheckpoint(events);
    expect(resume.step).toBe(2);
    const again = await eventsOf(createTablePolicy(), warm, { resume, needsSignal: true });
    expect(recordsOf(again)).toEqual([]);
    const anyway = await eventsOf(createTablePolicy(), warm, { resume });
    expect(ofType(anyway, 'alert')[0].alert).toMatchObject({ step: 3, code: 'rl/no-signal' });
    expect(recordsOf(anyway).map(({ step }) => step)).toEqual([3, 4]);
  });

  it('does not occur if rewards differ, after step 1, or in supervised learning', async () => {
    const needsSignal = true;
    expect(await codes(eventsOf(await warmTable(), config, { needsSignal }))).not.toContain('rl/no-signal');
    let calls = 0;
    let isConstant = false;
    const reward = (): number => (isConstant ? 1 : calls++ % 10);
    const constant = await eventsOf(await warmTable(), config, { needsSignal, reward }, ({ type }) => {
      if (type === 'step') isConstant = true;
    });
    expect(recordsOf(constant).map(({ frac_reward_zero_std: same }) => same)).toEqual([0, 1]);
    expect(constant.at(-1)?.type).toBe('done');
    const sft = await eventsOf(createTablePolicy(), { ...config, method: 'sft-traces' }, { needsSignal });
    expect(sft.at(-1)?.type).toBe('done');
  });

  it.each([
    ['no format, in a simulated world', samples(40, 1, world), 1, '1 of 40 answers', 'Begin with a warm'],
    ['no format after a warm start', samples(40, 1, world), 9, '1 of 40 answers', 'Lengthen the warm start'],
    ['no format, without gold traces', samples(40, 1), 1, '1 of 40 answers', 'Change the prompt'],
    ['all cut off', samples(40, 1, cut), 1, '1 of 40 answers', 'Allow longer answers'],
    ['all cut off after a warm start', samples(40, 1, cut), 9, '1 of 40 answers', 'warmStart.learningRate'],
    ['all wrong', samples(40, 40), 1, 'all 40 answers', 'Choose an easier task'],
    ['all right', samples(40, 40, { correct: true }), 1, 'all 40 answers', 'Choose a harder task'],
    ['a constant function', samples(40, 0, custom), 1, 'all 40 answers', 'Correct the reward function'],
    ['a single answer', samples(1, 1), 1, 'one answer', 'rollout.samplesPerPrompt'],
  ] as const)('quotes answers and suggests one change: %s', (_, answers, step, cause, cure) => {
    const alert = noSignalAlert(answers, step, algorithms['reinforce++']);
    expect(alert?.cause).toContain(cause);
    for (const { completion } of [answers[0], answers.at(-1)!])
      expect(alert?.cause.split(`“${completion}”`)).toHaveLength(2);
    expect(alert?.nextStep).toContain(cure);
    expect(alert?.nextStep.match(/\. |\.$/g)).toHaveLength(1);
  });

  it('needs 5 % of rewarded formats, unless the reward is a function', () => {
    expect(noSignalAlert(samples(40, 2), 1, algorithms['reinforce++'])).toBeNull();
    expect(noSignalAlert(samples(40, 1, custom), 1, algorithms['reinforce++'])).toBeNull();
  });

  it('is rewards that differ only beyond the limit of reinforce++, or one answer to each compared question', () => {
    const one = (prompts: number, least: number) =>
      samples(12, 0, custom).map((answer, at) => ({
        ...{ ...answer, group: at % prompts, reward: { ...answer.reward, total: least + at } },
      }));
    const found = (name: AlgorithmName, prompts: number, least: number) =>
      noSignalAlert(one(prompts, least), 1, algorithms[name])?.cause;
    expect(found('reinforce++', 3, 11)).toContain('counts a reward beyond 10 as 10');
    expect([found('reinforce++', 12, 9), found('grpo', 3, 11)]).toEqual([undefined, undefined]);
    for (const name of ['grpo', 'rloo', 'reinforce++-baseline'] as const)
      expect(found(name, 12, 0)).toContain('has one answer');
  });
});
