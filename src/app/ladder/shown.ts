/** What is on show of each model of the ladder: its live run, or its recording as far as that may be seen. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { presets } from '../../run/config/presets';
import type { Evaluation, Verdict } from '../../run/record/evaluation';
import type { Ending } from '../../run/verdict/ending';
import type { Page } from '../page';
import { stepsTaken } from '../session/run-view';
import type { Recording } from '../start/recording';
import type { LiveRung } from './ladder';
import { answerOf, curvesOf, judgedEnding, rungs, type Answer, type Curves, type Rung } from './rung';

/** Of every model. */
export const { steps } = presets[rungs[0].preset];

/** The replay shows so many of them before there is a guess: what is asked for does not stand beside it. */
export const beginning = 10;

/** The replay comes to where it may in so many milliseconds, and moves on so many times. */
const playTime = 5000;
const frames = 50;

export interface Shown {
  rung: Rung;
  live: LiveRung | undefined;
  /** Of the recording, whole: it stands behind the live run. */
  ghost: Curves;
  curves: Curves;
  step: number;
  answer: Answer | null;
  /** The answer is the last test's, by which the ending goes, and no practice. */
  isTest: boolean;
  ending: Ending | null;
  /** What the ending goes by; null without one. */
  verdict: Verdict | null;
}

export interface LadderShown {
  shown: readonly Shown[];
  isLive: boolean;
  /** The live runs have ended. */
  isOver: boolean;
  /** What came may be said: of one's own runs, or of the recording once every guess is made. */
  isTold: boolean;
}

/** Nothing has come of it. */
const nothing = curvesOf([], []);

export function useShown(page: Page): LadderShown {
  const { ladder } = page;
  const recordings = page.recordings.value;
  const recorded = useMemo(
    () =>
      new Map(
        (recordings ?? []).map((recording) => [
          recording.config.preset,
          { recording, curves: curvesOf(recording.records, recording.evals) },
        ]),
      ),
    [recordings],
  );
  const live = ladder.live.value;
  const isLive = live.size > 0;
  const isOver = isLive && !ladder.isOn.value;
  const isGuessed = rungs.every(({ name }) => ladder.guesses.value[name] !== undefined);
  const played = usePlayed(recordings === null || isLive ? 0 : isGuessed ? steps : beginning);
  const trained = Math.max(
    0,
    ...[...live.values()].map(({ view }) => (view === null ? 0 : stepsTaken(view))),
  );
  // Beside live runs a recording goes as far as they have come.
  const until = isOver ? steps : isLive ? trained : played;
  const shown = rungs.map((rung): Shown => {
    const { recording, curves: ghost = nothing } = recorded.get(rung.preset) ?? {};
    const own = live.get(rung.preset);
    const on = own === undefined ? shownOfRecording(recording, until) : shownOfLive(own);
    return { rung, live: own, ghost, ...on };
  });
  return { shown, isLive, isOver, isTold: isOver || (!isLive && isGuessed && played === steps) };
}

type Own = Omit<Shown, 'rung' | 'live' | 'ghost'>;

function shownOfLive({ view }: LiveRung): Own {
  if (view === null) return { curves: nothing, step: 0, answer: null, isTest: false, ...unjudged };
  const evaluations = view.evaluations.value;
  const judged = judgedOf(evaluations);
  const isTest = judged.ending !== null;
  const rollouts = isTest ? evaluations.at(-1)?.report.samples : view.latestRollouts.value;
  return {
    curves: curvesOf(view.records.value, evaluations),
    step: stepsTaken(view),
    answer: answerOf(rollouts ?? []),
    isTest,
    ...judged,
  };
}

function shownOfRecording(recording: Recording | undefined, until: number): Own {
  const upTo = <T extends { step: number }>(list: readonly T[]): T[] =>
    list.filter(({ step }) => step <= until);
  const kept = recording?.rollouts ?? [];
  const at = upTo(kept).at(-1)?.step ?? kept.at(0)?.step;
  return {
    curves: curvesOf(
      upTo(recording?.records ?? []),
      (recording?.evals ?? []).filter(({ report }) => report.step <= until),
    ),
    step: until,
    answer: answerOf(kept.filter(({ step }) => step === at)),
    isTest: false,
    ...(recording !== undefined && until === steps ? judgedOf(recording.evals) : unjudged),
  };
}

const unjudged = { ending: null, verdict: null };

function judgedOf(evaluations: readonly Evaluation[]): Pick<Shown, 'ending' | 'verdict'> {
  const ending = judgedEnding(evaluations);
  return ending === null ? unjudged : { ending, verdict: evaluations.at(-1)?.verdict ?? null };
}

/** The step that the replay has come to on its way; at once the last one where no motion is wanted. */
function usePlayed(to: number): number {
  const played = useSignal(0);
  useEffect(() => {
    const from = played.peek();
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) played.value = to;
    if (played.peek() >= to) return;
    const begun = performance.now();
    // no animation frames: they have the browser draw the page 60 times a second, for 10 that differ
    const timer = setInterval(() => {
      const part = Math.min(1, (performance.now() - begun) / playTime);
      played.value = Math.round(from + part * (to - from));
      if (part === 1) clearInterval(timer);
    }, playTime / frames);
    return () => clearInterval(timer);
  }, [to]);
  return played.value;
}
