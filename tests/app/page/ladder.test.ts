import { computed, signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLadder } from '../../../src/app/page/ladder';
import { until } from '../../../src/app/ui/until';
import { createRunView } from '../../../src/app/session/run-view';
import type { Session } from '../../../src/app/session/session';
import { presets } from '../../../src/run/config/presets';
import { rungs } from '../../../src/run/recording/recording-file';
import { example } from '../../share/example-config';

describe('a ladder', () => {
  beforeEach(() => {
    vi.stubGlobal('addEventListener', () => undefined);
    vi.stubGlobal('location', { hash: '' });
  });
  afterEach(() => vi.unstubAllGlobals());

  const turn = () => new Promise((resolve) => setTimeout(resolve));

  /** A ladder whose session has this activity once a run has begun, and whose runs have `steps` steps. */
  function newLadder(then: 'running' | 'paused', steps = 0, cores = 2, ofSession: object = {}) {
    const activity = signal('idle');
    const current = computed(() => (activity.value === 'idle' ? null : {}));
    const closeIdle = vi.fn(() => Promise.resolve());
    const ofRung = { config: presets[rungs[0].preset], records: signal([{ step: steps }]) };
    const view = signal<object | null>(ofRung);
    const begin = vi.fn<(request: object) => Promise<{ ended: Promise<unknown> }>>(() => {
      activity.value = then;
      return Promise.resolve({ ended: until(activity, (is) => is === 'idle') });
    });
    const session = {
      ...{ activity, begin, trainers: signal([{ current, view }]), openTrainer: () => ({ current, view }) },
      ...{ share: () => Promise.resolve(true), closeIdle, ...ofSession },
    };
    const ladder = createLadder(session as unknown as Session, 7, cores);
    return { activity, view, begin, closeIdle, ladder };
  }

  function startLadder(...given: Parameters<typeof newLadder>) {
    const made = newLadder(...given);
    return { ...made, started: made.ladder.start() };
  }

  it('trains the largest model beside the others with four cores or more', () => {
    const counts = [3, 4].map((cores) => startLadder('running', 0, cores).ladder.atOnce.length);
    expect(counts).toEqual([2, 3]);
  });

  it('resumes the interrupted models by their runs, and shows those that had ended', async () => {
    const whole = createRunView('kept', example);
    const viewOf = (id: string) => Promise.resolve(id === 'whole' ? whole : null);
    const { activity, begin, ladder, view } = newLadder('running', 0, 4, { viewOf });
    const [small, middle, large] = rungs.map(({ preset }) => preset);
    const runs = (ended: string) =>
      new Map([small, middle].map((preset, at) => [preset, { id: [ended, 'cut'][at], isEnded: at === 0 }]));
    for (const ended of ['gone', 'whole']) {
      const resumed = ladder.start(runs(ended));
      await turn();
      expect(ladder.isOn.value).toBe(true);
      await ladder.start(runs('again')); // while they train
      await ladder.start();
      activity.value = 'idle';
      await resumed;
      const own = ladder.live.value;
      expect(own.get(small)).toEqual(ended === 'gone' ? undefined : whole);
      expect([own.get(middle), own.has(large), ladder.isOn.value]).toEqual([view.value, false, false]);
    }
    const request = { id: 'cut', backend: 'wasm' };
    expect(begin.mock.calls.map(([asked]) => asked)).toEqual([request, request]);
  });

  it('shows no model that cannot begin, and begins none after it', async () => {
    const isOn: boolean[] = [];
    const begin = vi.fn(() => {
      isOn.push(ladder.isOn.value);
      return Promise.resolve(null);
    });
    const { closeIdle, ladder, started } = startLadder('running', 0, 4, { begin });
    await started;
    expect(isOn).toEqual([true]);
    expect([begin.mock.calls.length, closeIdle.mock.calls.length, ladder.live.value.size]).toEqual([1, 1, 0]);
  });

  it('has as long to go as the slowest of its models', async () => {
    const views = [2, 3, 1].map((step) => ({
      value: createRunView('live', presets[rungs[0].preset], undefined, {
        parts: { step, ends: 0, look: 0 },
      }),
    }));
    const trainersOf = (all: readonly object[]) => {
      const current = signal({});
      const trainers = signal(all.map((view) => ({ current, view })));
      return startLadder('running', 0, 4, { trainers }).ladder;
    };
    const ladder = trainersOf(views);
    await turn();
    expect(ladder.secondsLeft()).toBe(3 * presets[rungs[0].preset].steps);
    const unplanned = trainersOf([views[0], { value: createRunView('live', example) }, views[1]]);
    await turn();
    expect(unplanned.secondsLeft()).toBeNull();
  });

  it('is told once each model has a guess or none is made, and takes another seed with new guesses', () => {
    const { ladder } = newLadder('running');
    const told = () => [ladder.isGuessed.value, ladder.isSkipped.value];
    ladder.guesses.value = { small: 'stops', middle: 'stops' };
    expect(told()).toEqual([false, false]);
    ladder.guesses.value = { ...ladder.guesses.value, large: 'keeps' };
    expect(told()).toEqual([true, false]);
    const random = vi.spyOn(Math, 'random').mockReturnValue(0.5);
    ladder.takeAnotherSeed();
    expect(told()).toEqual([false, false]);
    ladder.isSkipped.value = true;
    expect(told()).toEqual([true, true]);
    ladder.takeAnotherSeed();
    expect(told()).toEqual([false, false]);
    expect([ladder.seed.value, ladder.guesses.value, ladder.isSent.value]).toEqual([50_000, {}, false]);
    random.mockRestore();
  });
});
