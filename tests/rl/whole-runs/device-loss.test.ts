/** The GPU goes away at every call that a short run makes of its policy, one after the other. */
import { beforeAll, describe, expect, it } from 'vitest';
import { MarbleError } from '../../../src/base/error';
import type { Policy } from '../../../src/model/policy';
import type { TrainerEvent } from '../../../src/run/record/events';
import { sampled } from '../../fixtures/sample';
import { eventsOf, ofType, recordsOf, smallConfig, warmTable } from '../runs';

const base = smallConfig();
const config = {
  ...base,
  steps: 3,
  rollout: { ...base.rollout, promptsPerStep: 2, samplesPerPrompt: 2 },
  evaluation: { every: 2, items: 4, seed: 7, patience: 0 },
  checkpointEvery: 1,
};

interface Counted {
  policy: Policy;
  /** Names of the calls so far. */
  calls: string[];
}

/** @param failsAt - number of the first call that finds the device gone, as all after it do */
async function countedPolicy(failsAt = Infinity): Promise<Counted> {
  const calls: string[] = [];
  const policy = new Proxy<Policy>(await warmTable(), {
    get(target, name: keyof Policy) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]): unknown => {
        calls.push(name);
        if (calls.length >= failsAt) throw new MarbleError('gpu/device-lost', 'It is gone.', 'Resume.');
        return (value as (...given: unknown[]) => unknown).apply(target, given);
      };
    },
  });
  return { policy, calls };
}

let whole: readonly TrainerEvent[];
let calls: readonly string[];
beforeAll(async () => {
  const counted = await countedPolicy();
  whole = await eventsOf(counted.policy, config);
  calls = counted.calls;
});

const evaluationsOf = (events: readonly TrainerEvent[]): unknown[] =>
  ofType(events, 'eval').map(({ report }) => [report.step, report.overall.accuracy, report.meanLength]);

describe('a device that is lost at the n-th call of a run, for every n', () => {
  it('happens in sampling, scoring, the backward pass, the update, checkpoints and evaluations', () => {
    expect(new Set(calls)).toEqual(
      new Set(['freezeReference', 'generate', 'logprobs', 'backward', 'update', 'state']),
    );
    expect(ofType(whole, 'checkpoint').map(({ checkpoint }) => checkpoint.step)).toEqual([1, 2, 3]);
  });

  it('ends the run as lost, and it goes on from its last checkpoint with the rows of one that never stopped', async () => {
    const places = Array.from({ length: calls.length }, (_, index) => index + 1);
    const chosen = sampled(
      places.filter((n) => n % 3 === 0 || calls[n - 1] === 'state' || calls[n - 1] === 'update'),
      places,
    );
    for (const n of chosen) {
      const where = `call ${n}, ${calls[n - 1]}`;
      const before = await eventsOf((await countedPolicy(n)).policy, config);
      expect([where, before.at(-1)?.type]).toEqual([where, 'lost']);
      const resume = ofType(before, 'checkpoint').at(-1)?.checkpoint;
      const kept = resume?.step ?? 0;
      // At most one step is made again: there is a checkpoint after each.
      expect(recordsOf(before).length - kept).toBeLessThanOrEqual(1);
      const after = await eventsOf((await countedPolicy()).policy, config, { resume });
      expect(after.at(-1)?.type).toBe('done');
      expect([where, recordsOf(after)]).toEqual([where, recordsOf(whole).slice(kept)]);
      const again = evaluationsOf(after);
      expect([where, again]).toEqual([where, evaluationsOf(whole).slice(-again.length)]);
    }
  });
});
