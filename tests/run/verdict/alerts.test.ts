import { describe, expect, it } from 'vitest';
import { newAlertState, watchEvaluation, watchStep } from '../../../src/run/verdict/alert-rules';
import type { Alert, StepRecord, TrainerEvent } from '../../../src/run/record/events';
import type { Verdict } from '../../../src/run/record/evaluation';
import type { Ending } from '../../../src/run/verdict/ending';
import type { Policy } from '../../../src/model/policy';
import { createTablePolicy } from '../../rl/table-policy';
import { eventsOf, ofType, recordsOf, smallConfig, warmTable } from '../../rl/runs';
import { verdict } from './verdicts';

const codes = (events: readonly TrainerEvent[]): string[] =>
  ofType(events, 'alert').map(({ alert }) => alert.code);

/** Alerts of steps, in a run that is stored after each of them. */
function alertsOf(records: readonly StepRecord[], state = newAlertState()): Alert[] {
  return records.flatMap((record) => {
    const watched = watchStep(record, state);
    state = structuredClone(watched.state);
    return watched.alerts;
  });
}
const named = (alerts: readonly Alert[]): string[] => alerts.map(({ step, code }) => `${step} ${code}`);

describe('alerts on runs made to fail', () => {
  it('names groups without variance, and responses that are all cut off, once', async () => {
    // Untrained, every completion is noise and earns the worst reward.
    const rollout = { ...smallConfig().rollout, maxNewTokens: 2 };
    const events = await eventsOf(createTablePolicy(), smallConfig({ steps: 3, rollout }));
    expect(codes(events)).toEqual(['rl/no-signal', 'rl/no-variance', 'rl/all-cut-off']);
  });

  it.each([
    ['over half were cut off before', [0.9, 1], ['2 rl/all-cut-off']],
    ['all ended before', [0, 1], ['2 rl/no-longer-ends']],
    ['half ended before', [1, 0.5, 0.9, 1], ['1 rl/all-cut-off', '4 rl/no-longer-ends']],
  ])('reads all earlier steps: %s', (_, ratios, expected) => {
    const alerts = alertsOf(
      ratios.map((ratio, index) => ({
        ...{ step: index + 1, 'completions/clipped_ratio': ratio, 'completions/max_length': 2048 },
      })),
    );
    expect(named(alerts)).toEqual(expected);
  });

  it('names a sampler that disagrees with the trainer', async () => {
    const policy = await warmTable();
    const generate: Policy['generate'] = async (...given) =>
      (await policy.generate(...given)).map((completion) => ({
        ...completion,
        logprobs: completion.logprobs.map((value) => value + 0.1),
      }));
    const events = await eventsOf({ ...policy, generate }, smallConfig({ steps: 1 }));
    expect(codes(events)).toContain('rl/sampler-gap');
    expect(recordsOf(events)[0]['sampling/sampling_logp_difference/mean']).toBeCloseTo(0.1, 5);
  });

  it.each([
    ['in the first step, and blames the weights', 1, /^No update has changed the weights yet/],
    // The same settings would come to the same numbers: another rate takes another run.
    ['in a later step, and blames the rate', 2, /^Start a new run with a lower learning rate/],
  ])('stops at a gradient that is not finite %s', async (_, poisonedStep, expected) => {
    const policy = await warmTable();
    const sound = (await policy.state()).updates + poisonedStep - 1;
    const poisoned: Policy = {
      ...policy,
      backward: async (sequences, promptLengths, options) => {
        const isSound = (await policy.state()).updates < sound;
        return policy.backward(sequences, promptLengths, {
          ...options,
          objective: (tokens) => {
            const by = options.objective(tokens);
            if (isSound) return by;
            return { ...by, logprobs: by.logprobs.map((row) => Float32Array.from(row, () => NaN)) };
          },
        });
      },
    };
    const events = await eventsOf(poisoned, smallConfig());
    expect(codes(events)).toContain('rl/not-finite');
    const nextStep = expect.stringMatching(expected) as string;
    expect(ofType(events, 'alert').at(-1)?.alert.nextStep).toMatch(expected);
    expect(events.at(-1)).toMatchObject({ type: 'failed', error: { code: 'rl/not-finite', nextStep } });
    expect(recordsOf(events)).toHaveLength(poisonedStep - 1);
    const { updates, parameters } = await policy.state();
    expect([updates, parameters.every(Number.isFinite)]).toEqual([sound, true]);
  });

  it('stops where an update has overflowed, and keeps no checkpoint of it', async () => {
    const policy = await warmTable();
    const begun = (await policy.state()).updates;
    const overflown: typeof policy = {
      ...policy,
      state: async () => {
        const state = await policy.state();
        if (state.updates > begun + 1) state.parameters[0] = Infinity;
        return state;
      },
    };
    const events = await eventsOf(overflown, smallConfig({ checkpointEvery: 1 }));
    expect(events.at(-1)).toMatchObject({ type: 'failed', error: { code: 'rl/not-finite' } });
    const [{ checkpoint: resume }, ...others] = ofType(events, 'checkpoint');
    expect([resume.step, others]).toEqual([1, []]);
    resume.policy.moment2[0] = NaN;
    const again = await eventsOf(policy, resume.config, { resume });
    expect(again).toMatchObject([{ type: 'failed', error: { code: 'rl/checkpoint-not-finite' } }]);
  });

  it('says nothing of a healthy run', () => {
    const records = Array.from({ length: 40 }, (_, index): StepRecord => ({
      ...{ step: index + 1, reward: 1, accuracy: 0.5, entropy: 0.2, frac_reward_zero_std: 0.8, grad_norm: 1 },
      ...{ kl: index === 4 ? 0.5 : 0.06, 'sampling/sampling_logp_difference/mean': 0.01 },
    }));
    expect(alertsOf(records)).toEqual([]);
  });

  it('names a jump of divergence or gradient, once', () => {
    const records = Array.from({ length: 45 }, (_, index): StepRecord => {
      const step = index + 1;
      // Just over and just under twice the largest of the recent steps.
      const factor = step === 20 || step === 21 ? 2.3 : step === 44 ? 1.9 : 1 + 0.1 * Math.sin(step);
      return { step, kl: 0.1 * factor, grad_norm: factor, entropy: 1 };
    });
    expect(named(alertsOf(records))).toEqual(['20 rl/kl-spike', '20 rl/grad-norm-spike']);
  });

  it.each([
    ['frac_reward_zero_std', [1, 0.75, 1, 0.5, 1]],
    ['entropy', [0.004, 0.008, 0.004, 0.011, 0.004]],
  ])('come again only after %s has recovered', (metric, values) => {
    const alerts = alertsOf(values.map((value, index) => ({ step: index + 1, reward: 0, [metric]: value })));
    expect(alerts.map(({ step }) => step)).toEqual([1, 5]);
  });

  it('are few where a rule starts to hold every few steps, and tell of one that holds from then on', () => {
    const steps = Array.from({ length: 20_000 }, (_, index) => index + 1);
    const isUniform = (step: number): boolean => step % 2 === 0 || step > 10_000;
    const raised = alertsOf(
      steps.map((step) => ({ step, reward: 0, frac_reward_zero_std: Number(isUniform(step)) })),
    ).map(({ step }) => step);
    const flickering = raised.filter((step) => step <= 10_000);
    expect(flickering.slice(0, 12)).toEqual([2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 26]);
    expect(flickering.length).toBeLessThan(90);
    expect(raised.slice(flickering.length)).toEqual([Math.ceil(1.1 * flickering.at(-1)!)]);
  });

  it.each([
    [0.89, ['rl/no-variance', 'rl/out-of-prompts', 'rl/entropy-floor', 'rl/grad-norm-spike']],
    [0.9, []],
  ])(
    'at an accuracy of %f, little variance, padded prompts, little entropy and a jump of the gradient are %j',
    (accuracy, expected) => {
      const calm = Array.from({ length: 11 }, (_, step) => 1 + 0.1 * Math.sin(step));
      const state = { ...newAlertState(), recent: { kl: calm.map(() => 0), grad_norm: calm } };
      const figures = { frac_reward_zero_std: 1, padded_prompts: 1, entropy: 0.001, kl: 0, grad_norm: 9 };
      const alerts = alertsOf([{ step: 12, reward: 1, accuracy, ...figures }], state);
      expect(alerts.map(({ code }) => code)).toEqual(expected);
    },
  );
});

describe('alerts on evaluations', () => {
  const long = { before: 20, now: 20, ratio: { value: 1, low: 0.99, high: 1.01 } };
  const codesOf = (judged: Verdict, ending: Ending = judged.ending): string[] =>
    watchEvaluation(judged, ending, newAlertState()).alerts.map(({ code }) => code);

  it('name the loss once it may be shown', () => {
    const stopped = verdict({ ending: 'stops thinking' });
    expect(codesOf(verdict({ length: long }))).toEqual([]);
    expect(codesOf(stopped)).toEqual(['rl/thinking-lost']);
    expect(codesOf(stopped, 'too close to call')).toEqual([]);
    const writing = verdict({ ending: 'goes on writing, no longer thinks', length: long });
    expect(codesOf(writing)).toEqual(['rl/thinking-lost']);
  });

  it('come once while a lost run hovers around a threshold', () => {
    const lost = verdict({
      ending: 'stops thinking',
      conditions: { wrongHalved: true, faithfulHalved: true },
    });
    const wavering = verdict({ conditions: { wrongHalved: true } });
    const recovered = verdict({ length: long });
    let state = newAlertState();
    const raised = [lost, wavering, lost, recovered, lost].map((judged, place) => {
      const watched = watchEvaluation({ ...judged, step: 10 * (place + 1) }, judged.ending, state);
      state = watched.state;
      return watched.alerts.length;
    });
    expect(raised).toEqual([1, 0, 0, 0, 1]);
  });
});

it('the alert of an ending follows the second of two evaluations in a row that have it', async () => {
  const thinkless = smallConfig({
    steps: 3,
    method: 'sft-answers',
    data: { ...smallConfig().data, orders: [1, 2] },
    optimizer: { ...smallConfig().optimizer, learningRate: 0.3, maxGradNorm: 10 },
    evaluation: { every: 1, items: 120, seed: 7 },
  });
  const events = await eventsOf(await warmTable(), thinkless);
  expect(ofType(events, 'eval').map(({ verdict }) => verdict?.ending)).toEqual([
    undefined,
    ...['stops thinking', 'stops thinking', 'stops thinking'],
  ]);
  expect(ofType(events, 'alert').map(({ alert }) => [alert.step, alert.code])).toEqual([
    [2, 'rl/thinking-lost'],
  ]);
});
