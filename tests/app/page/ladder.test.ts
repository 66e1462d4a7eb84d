import { computed, signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLadder, ladderHash } from '../../../src/app/page/ladder';
import { until } from '../../../src/app/ui/until';
import { holdsSettings } from '../../../src/app/page/place';
import type { Session } from '../../../src/app/session/session';
import { presets } from '../../../src/run/config/presets';
import { rungs } from '../../../src/run/recording/recording-file';
import { readLadder } from '../../../src/share/ladder-seed';

it('reads only the seed from its address, and no guesses', () => {
  expect(readLadder(ladderHash(77))).toBe(77);
  expect(ladderHash(77)).toBe('#ladder=77');
  expect(readLadder('#ladder=77&small=stops')).toBe(77);
  expect(readLadder('#v=1&preset=ladder-12k')).toBeNull();
});

it.each(['abc', '-1', '1e99', '1000000', '7.5', ''])(
  'an address with the seed “%s” is read as a link, which refuses it',
  (seed) => {
    expect(readLadder(`#ladder=${seed}`)).toBeNull();
    expect(holdsSettings(`#ladder=${seed}`)).toBe(true);
    expect(holdsSettings('#ladder=7&small=stops')).toBe(false);
  },
);

describe('a ladder', () => {
  beforeEach(() => {
    vi.stubGlobal('addEventListener', () => undefined);
    vi.stubGlobal('location', { hash: '' });
  });
  afterEach(() => vi.unstubAllGlobals());

  const turn = () => new Promise((resolve) => setTimeout(resolve));

  /** Starts a ladder whose sessions then have this activity, and whose runs have `steps` steps. */
  function startLadder(then: 'running' | 'paused', steps = 0, cores = 2) {
    const activity = signal('idle');
    const current = computed(() => (activity.value === 'idle' ? null : {}));
    const closeIdle = vi.fn(() => Promise.resolve());
    const ofRung = { config: presets[rungs[0].preset], records: signal([{ step: steps }]) };
    const view = signal<object | null>(ofRung);
    const begin = vi.fn(() => {
      activity.value = then;
      return Promise.resolve({ ended: until(activity, (is) => is === 'idle') });
    });
    const session = {
      ...{ activity, begin, trainers: signal([{ current, view }]), openTrainer: () => ({ current, view }) },
      ...{ share: () => Promise.resolve(true), closeIdle },
    };
    const kept: string[] = [];
    const storage = { read: () => null, keep: (_: string, text: string) => void kept.push(text) };
    const ladder = createLadder(session as unknown as Session, 7, cores, storage);
    return { activity, view, begin, closeIdle, kept, ladder, started: ladder.start() };
  }

  it('keeps its duration after a whole one without a pause', async () => {
    const keptAfter = async (states: readonly string[], steps: number): Promise<string[]> => {
      const { activity, kept, started } = startLadder('running', steps);
      await turn();
      for (const state of states) activity.value = state;
      await started;
      return kept;
    };
    const { steps } = presets[rungs[0].preset];
    const [seconds] = await keptAfter(['idle'], steps);
    expect(Number(seconds)).toBeGreaterThan(0);
    expect(Number(seconds)).toBeLessThan(performance.now() / 1000); // less than this process has run
    expect(await keptAfter(['paused', 'running', 'idle'], steps)).toEqual([]);
    expect(await keptAfter(['idle'], steps - 1)).toEqual([]);
  });

  it('trains the largest model beside the others with four cores or more', () => {
    const counts = [3, 4].map((cores) => startLadder('running', 0, cores).ladder.atOnce.length);
    expect(counts).toEqual([2, 3]);
  });

  it('closes its workers after its end', async () => {
    const { activity, closeIdle, started } = startLadder('running');
    await turn();
    expect(closeIdle).not.toHaveBeenCalled();
    activity.value = 'idle';
    await started;
    expect(closeIdle).toHaveBeenCalledTimes(1);
  });

  it('is over when its worker trains another run', async () => {
    const { activity, view, ladder, started } = startLadder('running');
    await turn();
    expect(ladder.isOn.value).toBe(true);
    activity.value = 'idle';
    await started;
    view.value = null; // as the other run opens
    activity.value = 'running';
    expect([ladder.isOn.value, ladder.secondsLeft()]).toEqual([false, null]);
    view.value = {};
    expect(ladder.isOn.value).toBe(false);
  });

  it('gives way to another seed of the address, keeps its guesses at its own one, and trains to its end', async () => {
    let follow: () => void = () => undefined;
    vi.stubGlobal('addEventListener', (_: string, listener: () => void) => (follow = listener));
    const replaced: string[] = [];
    vi.stubGlobal('history', { replaceState: (...[, , hash]: string[]) => replaced.push(hash) });
    const { activity, ladder, started } = startLadder('running');
    await turn();
    const followed = (hash: string) => {
      vi.stubGlobal('location', { hash });
      follow();
      return [ladder.seed.value, ladder.live.value.size > 0, ladder.isSkipped.value, ladder.guesses.value];
    };
    ladder.isSkipped.value = true;
    ladder.guesses.value = { small: 'stops' };
    const own = [7, true, true, { small: 'stops' }];
    expect([followed('#ladder=8'), replaced]).toEqual([own, ['#ladder=7']]);
    activity.value = 'idle';
    await started;
    expect(followed('#ladder=7')).toEqual(own);
    expect(followed('#ladder=8')).toEqual([8, false, false, {}]);
  });

  it('begins no model while it is paused', async () => {
    const { activity, begin, started } = startLadder('paused');
    for (const begun of [1, 1, 2]) {
      if (begun === 2) activity.value = 'running';
      await turn();
      expect(begin).toHaveBeenCalledTimes(begun);
    }
    activity.value = 'idle';
    await started;
  });
});
