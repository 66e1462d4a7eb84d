/** Trains the three models of the first screen in parallel, each in a separate worker. Trains two on few cores. */
import { computed, signal, type ReadonlySignal } from '@preact/signals';
import { presets } from '../../run/config/presets';
import type { Guess } from '../../run/verdict/guess';
import type { EndOfRun, RunView } from '../session/run-view';
import type { Session } from '../session/session';
import { until } from '../ui/until';
import { isOwnAddress, replaceAddress } from './place';
import { rungs, type Rung } from '../../run/recording/recording-file';
import { readLadder } from '../../share/ladder-seed';
import { secondsToGo } from './planned';

/** Runs of an earlier visit, by preset. */
type EarlierRuns = ReadonlyMap<string, { id: string; isEnded: boolean }>;

export type Ladder = ReturnType<typeof createLadder>;

/** On fewer cores the largest model would slow down the others. Its recording is shown instead. */
const CORES_FOR_ALL = 4;

export type Guesses = Readonly<Partial<Record<Rung['name'], Guess>>>;

/** Address of a seed. It holds no guesses: each recipient guesses anew. */
export const ladderHash = (seed: number): string => `#ladder=${seed}`;

const newSeed = (): number => 1 + Math.floor(Math.random() * 99_999);

/** @param sent - seed in the opened address */
export function createLadder(session: Session, sent: number | null, cores: number) {
  const seed = signal(sent ?? newSeed());
  const sentSeed = signal(isOwnAddress() ? null : sent);
  const guessed = signal<Guesses>({});
  const isSkipped = signal(false);
  /** Runs that were started or restored here, by preset; null until the worker has begun. Empty before the first start. */
  const live = signal<ReadonlyMap<string, RunView | null>>(new Map());
  /** Models that train now. A run that is resumed elsewhere in the page has another view. */
  const atWork = computed(() => {
    const busy = session.trainers.value.flatMap(({ current, view }) => (current.value ? view.value : []));
    return [...live.value.values()].filter((view) => view === null || busy.includes(view));
  });
  const isOn = computed(() => atWork.value.length > 0);
  /** Models that train when the button is pressed. */
  const atOnce = cores < CORES_FOR_ALL ? rungs.slice(0, 2) : rungs;

  const show = (preset: string, view: RunView | null): void =>
    void (live.value = new Map([...live.value, [preset, view]]));

  /**
   * Begins one run after another, so that the first curve appears as early as possible. Closes the additional workers once
   * all have ended.
   */
  async function train(begun: readonly Rung[], runs: EarlierRuns): Promise<void> {
    const ends: Promise<EndOfRun>[] = [];
    for (const [place, { preset }] of begun.entries()) {
      const trainer = session.trainers.value.at(place) ?? session.openTrainer();
      show(preset, null);
      const id = runs.get(preset)?.id;
      const what = id === undefined ? { config: { ...presets[preset], seed: seed.value } } : { id };
      const run = await session.begin({ ...what, backend: 'wasm' }, trainer);
      if (run === null) {
        live.value = new Map([...live.value].filter(([other]) => other !== preset));
        break;
      }
      show(preset, trainer.view.value);
      ends.push(run.ended);
      const next = await until(session.activity, (activity) => !['pausing', 'paused'].includes(activity));
      if (next === 'stopping') break;
    }
    await Promise.all(ends);
    await session.closeIdle();
  }

  function takeSeed(next: number): void {
    seed.value = next;
    guessed.value = {};
    isSkipped.value = false;
  }

  addEventListener('hashchange', () => {
    const other = readLadder(location.hash);
    if (other === null || other === seed.value) return; // the same after a return to this screen
    if (isOn.value) {
      replaceAddress(ladderHash(seed.value)); // the runs on the screen keep their seed
      return;
    }
    if (!isOwnAddress()) sentSeed.value = other;
    live.value = new Map();
    takeSeed(other);
  });

  return {
    live: live as ReadonlySignal<ReadonlyMap<string, RunView | null>>,
    isOn,
    seed,
    /** The seed came with a link. */
    isSent: computed(() => seed.value === sentSeed.value),
    guesses: guessed,
    isSkipped,
    /** The visitor asked for the recording, so the page asks for guesses. */
    asksGuess: signal(false),
    /** True once every model has a guess or the guess was skipped: the ending may be shown. */
    isGuessed: computed(
      () => isSkipped.value || rungs.every(({ name }) => guessed.value[name] !== undefined),
    ),
    takeAnotherSeed: (): void => takeSeed(newSeed()),
    /** Last replayed step of the recording, kept while the visitor is at another place. */
    played: signal(0),
    atOnce,
    /** Seconds until all runs that train end; null if unknown. */
    secondsLeft(): number | null {
      const lefts = atWork.value.map((view) => view && secondsToGo(view));
      return lefts.every((left) => left !== null) ? Math.max(0, ...lefts) : null;
    },
    /** Resumes the interrupted ones of earlier runs and shows the ended ones. Without any, trains all models anew. */
    async start(runs: EarlierRuns = new Map()): Promise<void> {
      if (session.activity.value !== 'idle' || !(await session.share())) return;
      live.value = new Map();
      const ended = atOnce.filter(({ preset }) => runs.get(preset)?.isEnded === true);
      const begun = atOnce.filter(({ preset }) => runs.size === 0 || runs.get(preset)?.isEnded === false);
      await Promise.all([
        ...ended.map(async ({ preset }) => {
          const view = await session.viewOf(runs.get(preset)!.id);
          if (view !== null) show(preset, view);
        }),
        train(begun, runs),
      ]);
    },
  };
}
