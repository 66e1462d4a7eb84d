/** A run is paused and stopped between micro-batches and kept between steps, and continues as if nothing had been. */
import { expect, it, vi } from 'vitest';
import { MarbleError } from '../../../src/base/error';
import type { Policy } from '../../../src/model/policy';
import { algorithms, type AlgorithmName } from '../../../src/objective/algorithm';
import type { RunConfig } from '../../../src/run/config/config';
import type { TrainerEvent } from '../../../src/run/record/events';
import { addEvent, growingHistory } from '../../../src/run/record/history';
import { train, type TrainOptions } from '../../../src/rl/trainer';
import { eventsOf, intercepted, lastCheckpoint, ofType, recordsOf, smallConfig, warmTable } from '../runs';
import { sampled } from '../../fixtures/sample';

/** One that draws prompts again and one that does not: killed-runs.test.ts has others. */
const names = sampled<AlgorithmName[]>(['reinforce++', 'dapo'], Object.keys(algorithms) as AlgorithmName[]);

const variants: [string, Partial<RunConfig>][] = [
  ...names.map((name): [string, Partial<RunConfig>] => [name, { algorithm: algorithms[name] }]),
  [
    'several updates per batch in micro-batches, adaptive KL',
    {
      algorithm: {
        ...algorithms['reinforce++'],
        kl: { place: 'reward', coefficient: 0.05, estimator: 'k1', target: 0.01, horizon: 50 },
      },
      optimizer: { ...smallConfig().optimizer, passes: 2, miniBatches: 2, microBatch: 2 },
    },
  ],
  ['the supervised arm', { method: 'sft-answers' }],
  ['a warm start', { warmStart: { updates: 2, examples: 4, full: 0.5, learningRate: 0.1 } }],
];

const config = (changes: Partial<RunConfig>): RunConfig =>
  smallConfig({
    steps: 3,
    rollout: { promptsPerStep: 2, samplesPerPrompt: 3, temperature: 1, maxNewTokens: 16 },
    evaluation: { every: 2, items: 4, hardItems: 0, seed: 7 },
    ...changes,
  });

/** The events of a run that is stopped at its nth progress event. */
async function stoppedAt(changes: Partial<RunConfig>, nth: number, options: TrainOptions = {}) {
  const stop = new AbortController();
  let seen = 0;
  return eventsOf(await warmTable(), config(changes), { ...options, signal: stop.signal }, ({ type }) => {
    if (type === 'progress' && ++seen === nth) stop.abort();
  });
}

/** The stored log of a run, without times. */
function log(events: readonly TrainerEvent[]): string {
  const history = growingHistory();
  for (const event of events) addEvent(history, event);
  return JSON.stringify({
    records: recordsOf(events),
    evaluations: ofType(events, 'eval'),
    alerts: history.alerts, // a step that is taken again raises its alert again
    rollouts: ofType(events, 'rollouts'),
  });
}

it.each(variants)('a run stopped between two micro-batches resumes exactly: %s', async (name, changes) => {
  const whole = await eventsOf(await warmTable(), config(changes));
  const stops = ofType(whole, 'progress').length;
  const steps: number[] = [];
  // SFT can stop only once in a step, so a sample of its stops would skip a step. Each other variant has its own
  // sample.
  const isSupervised = changes.method !== undefined || changes.warmStart !== undefined;
  const stride = isSupervised ? 1 : sampled(4, 1);
  const first = 1 + (variants.findIndex(([other]) => other === name) % stride);
  for (let nth = first; nth <= stops; nth += stride) {
    const begun = await stoppedAt(changes, nth);
    expect(begun.at(-1)?.type).toBe('checkpoint');
    const resume = structuredClone(lastCheckpoint(begun));
    steps.push(resume.step);
    expect(recordsOf(begun)).toHaveLength(resume.step);
    const rest = await eventsOf(await warmTable(), config(changes), { resume });
    expect(log([...begun, ...rest])).toBe(log(whole));
    expect(lastCheckpoint(rest)).toEqual(lastCheckpoint(whole));
  }
  expect([...new Set(steps)]).toEqual([0, 1, 2, 3]);
});

it('a run that evaluates its start later takes its first step at once, and resumes to the rows of any run', async () => {
  const later = { evaluatesStartLater: true };
  const whole = await eventsOf(await warmTable(), config({}));
  const deferred = await eventsOf(await warmTable(), config({}), later);
  const order = deferred.flatMap((event): unknown[] =>
    event.type === 'step' ? [event.record.step] : event.type === 'eval' ? [`at ${event.report.step}`] : [],
  );
  expect(order).toEqual([1, 2, 'at 0', 'at 2', 3, 'at 3']);
  expect(log(deferred)).toBe(log(whole));
  const stops = ofType(deferred, 'progress').length;
  for (let nth = 1; nth <= stops; nth++) {
    const begun = await stoppedAt({}, nth, later);
    const resume = structuredClone(lastCheckpoint(begun));
    // A resumed session may defer the evaluation or not.
    const rest = await eventsOf(await warmTable(), config({}), nth % 2 ? { resume } : { resume, ...later });
    expect(log([...begun, ...rest])).toBe(log(whole));
    expect(lastCheckpoint(rest)).toEqual(lastCheckpoint(whole));
  }
});

it.each(variants)('checkpoints are taken between steps only, and change nothing: %s', async (_, changes) => {
  const whole = await eventsOf(await warmTable(), config(changes));
  const ticks = ofType(whole, 'progress');
  expect(ticks.every(({ fraction }) => fraction >= 0 && fraction <= 1)).toBe(true);
  for (const phase of ['reference', 'update'] as const) {
    const done = ticks.flatMap((one) => (one.phase === phase ? [one.step + one.fraction] : []));
    expect(done).toEqual(done.toSorted((a, b) => a - b));
  }
  expect(ofType(whole, 'checkpoint').map(({ checkpoint }) => checkpoint.step)).not.toContain(1);
  const asked = await eventsOf(await warmTable(), config(changes), { checkpointRequested: () => true });
  expect(log(asked)).toBe(log(whole));
  expect(ofType(asked, 'checkpoint').map(({ checkpoint }) => checkpoint.step)).toEqual([1, 2, 3]);
  expect(lastCheckpoint(asked)).toEqual(lastCheckpoint(whole));
});

/** The calls that are made of a policy. @param failsAt - number of the first that finds the device gone, as all after it do */
async function losingPolicy(failsAt = Infinity): Promise<{ policy: Policy; calls: string[] }> {
  const calls: string[] = [];
  const policy = intercepted(await warmTable(), (name, call) => {
    calls.push(name);
    if (calls.length >= failsAt) throw new MarbleError('gpu/device-lost', 'It is gone.', 'Resume.');
    return call();
  });
  return { policy, calls };
}

it('a device lost at the n-th call ends a run as lost, and the resumed run has the rows of an uninterrupted one', async () => {
  const kept = config({ checkpointEvery: 1 });
  const { policy, calls } = await losingPolicy();
  const whole = await eventsOf(policy, kept);
  expect(new Set(calls)).toEqual(
    new Set(['freezeReference', 'readPrompts', 'generate', 'logprobs', 'backward', 'update', 'state']),
  );
  expect(ofType(whole, 'checkpoint').map(({ checkpoint }) => checkpoint.step)).toEqual([1, 2, 3]);
  const places = calls.map((_, index) => index + 1);
  const some = places.filter((n) => n % 3 === 0 || ['state', 'update'].includes(calls[n - 1]));
  for (const n of sampled(some, places)) {
    const where = `call ${n}, ${calls[n - 1]}`;
    const before = await eventsOf((await losingPolicy(n)).policy, kept);
    expect([where, before.at(-1)?.type]).toEqual([where, 'lost']);
    const resume = ofType(before, 'checkpoint').at(-1)?.checkpoint;
    const step = resume?.step ?? 0;
    // At most one step is made again: there is a checkpoint after each.
    expect(recordsOf(before).length - step).toBeLessThanOrEqual(1);
    const after = await eventsOf(await warmTable(), kept, { resume });
    expect(after.at(-1)?.type).toBe('done');
    expect([where, recordsOf(after)]).toEqual([where, recordsOf(whole).slice(step)]);
    const again = ofType(after, 'eval');
    expect([where, again]).toEqual([where, ofType(whole, 'eval').slice(-again.length)]);
  }
});

it('a paused run counts no pause in the times of its steps', async () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  /** Every call to the model takes as long, and the events are asked for after pauses that are much longer. */
  const costs: Record<string, number> = { generate: 40, logprobs: 3, backward: 4, update: 1 };
  const timed = intercepted(await warmTable(), async (name, call, onProgress) => {
    if (!(name in costs)) return call();
    now += costs[name] / 2;
    await onProgress?.(0.5);
    now += costs[name] / 2;
    return call();
  });
  const times: number[][] = [];
  for await (const event of train(timed, config({}))) {
    now += 1e6;
    if (event.type !== 'step') continue;
    const { step_time: all, ...record } = event.record;
    const phases = ['time/rollout', 'time/reward', 'time/reference', 'time/update'];
    times.push([all, ...phases.map((name) => record[name])].map((seconds) => Math.round(1000 * seconds)));
  }
  vi.restoreAllMocks();
  expect(times).toEqual([1, 2, 3].map(() => [48, 40, 0, 3, 5]));
});

/** A policy whose every call takes several micro-batches, and the most of each kind run since the last chance to pause. */
async function countedPolicy() {
  const most: Record<string, number> = {};
  let since = 0;
  const kinds = ['readPrompts', 'generate', 'logprobs', 'backward'];
  const policy = intercepted(await warmTable(), async (name, call, onProgress) => {
    for (let part = 0; kinds.includes(name) && part < 4; part++) {
      if (part > 0) await onProgress?.(part / 4);
      since += 1;
      most[name] = Math.max(most[name] ?? 0, since);
    }
    return call();
  });
  return { policy, most, chance: () => void (since = 0) };
}

const inParts = { ...smallConfig().optimizer, passes: 2, miniBatches: 2, microBatch: 2 };
it.each<[string, Partial<RunConfig>, calls: string[]]>([
  ['answers alone', { method: 'sft-answers' }, ['readPrompts', 'generate', 'backward']],
  ['rewards', { optimizer: inParts }, ['readPrompts', 'generate', 'backward', 'logprobs']],
])('between two chances to pause a run on %s takes one micro-batch', async (_, changes, calls) => {
  const { policy, most, chance } = await countedPolicy();
  await eventsOf(policy, config(changes), {}, ({ type }) => {
    if (type !== 'done') chance();
  });
  expect(most).toEqual(Object.fromEntries(calls.map((name) => [name, 1])));
});
