/** A run with every kind of record, for tests of exports. */
import type { Checkpoint } from '../../src/run/record/events';
import type { EvalReport } from '../../src/run/record/evaluation';
import type { Rollout } from '../../src/run/record/rollout-record';
import { newTrainerState } from '../../src/rl/trainer-state';
import type { RunFile } from '../../src/share/run-file';
import { evalReport, verdict } from '../run/verdict/verdicts';
import { example } from './example-config';

export const rollout: Rollout = {
  step: 1,
  group: 0,
  sample: 0,
  itemId: 'swap-1',
  prompt: 'where does ann think coin ? <think>',
  completion: 'ann last bin </think> <answer> bin </answer>',
  order: 1,
  goldAnswer: 'bin',
  shortcutAnswer: null,
  tokens: 8,
  finished: true,
  reward: {
    total: 3,
    parts: [{ name: 'answer', value: 2, reason: 'right' }],
    correct: true,
    formatHolds: true,
    answer: 'bin',
    think: 'ann last bin',
    trace: { statements: [{ text: 'ann last bin', verdict: 'true' }], validity: 1, coverage: 0.5 },
  },
  advantage: -0.25,
};

export const accuracy = { count: 10, accuracy: 0.5, low: 0.24, high: 0.76 };

export const report: EvalReport = evalReport({
  overall: accuracy,
  byOrder: { 0: accuracy },
  heldOut: { 'order 4': accuracy },
  samples: [rollout],
  outcomes: {
    ...{ order: '01', correct: '10', shortcutRight: '-0', answers: '5-' },
    ...{ trace: 'fx', thinkTokens: [20, 24] },
  },
  sampled: { temperature: 1, belief: accuracy, factual: accuracy, correct: '01' },
});

export const checkpoint: Checkpoint = {
  version: 1,
  config: example,
  step: 2,
  policy: {
    parameters: new Float32Array([1, -0, Number.NaN, 1e-38]),
    moment1: new Float32Array([1, 2, 3, 4]),
    moment2: new Float32Array([5, 6, 7, 8]),
    updates: 2,
    reference: new Float32Array([9, 10, 11, 12]),
  },
  trainer: {
    ...newTrainerState(example),
    cursor: 16,
    lastEnding: 'stops thinking',
    alerts: { ...newTrainerState(example).alerts, leastCutOff: 0.25 },
    later: { list: [1, null, 'a'] },
  },
};

export const run: RunFile = {
  history: {
    record: {
      id: 'one',
      config: example,
      name: 'example',
      notes: 'says "hello"',
      status: 'done',
      step: 2,
      checkpointStep: 2,
      logLength: 6,
      createdAt: 1_700_000_000_000,
      updatedAt: 1_700_000_001_000,
      machine: { adapter: 'none', timing: [1, 2] },
    },
    steps: [
      { step: 1, reward: 0.5, 'completions/mean_length': 26 },
      { step: 2, reward: Number.NaN, kl: Number.NEGATIVE_INFINITY },
    ],
    evals: [{ report }, { report: { ...report, step: 2 }, verdict: verdict({ step: 2 }) }],
    alerts: [
      { step: 2, code: 'rl/nan', severity: 'error', cause: 'the loss is NaN', nextStep: 'lower the rate' },
    ],
  },
  rollouts: [[rollout], [{ ...rollout, step: 2 }]],
  checkpoint,
};

export async function* batches(...all: (readonly Rollout[])[]): AsyncGenerator<readonly Rollout[]> {
  for (const batch of all) yield await Promise.resolve(batch);
}

export async function all<T>(parts: AsyncIterable<T> | Iterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const part of parts) list.push(part);
  return list;
}

/** The run with its rollouts in memory. */
export const inMemory = async (of: RunFile): Promise<RunFile> => ({
  ...of,
  rollouts: await all(of.rollouts),
});
