/** What is on show of each model of the ladder: its live run, or its recording as far as that may be seen. */
import type { Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { presets } from '../../run/config/presets';
import type { Evaluation, Verdict } from '../../run/record/evaluation';
import type { StepRecord } from '../../run/record/events';
import type { Rollout } from '../../run/record/rollout-record';
import type { Ending } from '../../run/verdict/ending';
import type { Page } from '../page/page';
import { mainMetrics } from '../../run/recording/recording-file';
import { stepsTaken } from '../session/run-view';
import { recordingOf } from '../page/recording';
import { rungs, type Recording, type Rung } from '../../run/recording/recording-file';
import type { LiveRung } from '../page/ladder';
import { answerOf, answerPool, sharedQuestion, type Answer, type AnswerPool } from '../story/answers';
import { curvesOf, type Curves } from '../charts/lines/curve';
import { judgedEnding } from '../../run/verdict/ending';

/** Of every model. */
export const { steps } = presets[rungs[0].preset];

/** The replay shows so many of them before there is a guess: what is asked for does not stand beside it. */
const beginning = 10;

/** The replay comes to where it may in so many milliseconds, and moves on so many times. */
const playTime = 5000;
const frames = 50;

export interface Shown {
  rung: Rung;
  live: LiveRung | undefined;
  /** Of the recording, behind the live run: before the guess is made no further than that has come. */
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

export function useShown(page: Page): LadderShown {
  const { ladder } = page;
  const recordings = page.recordings.value;
  const live = ladder.live.value;
  const isLive = live.size > 0;
  const isOver = isLive && !ladder.isOn.value;
  const isGuessed = rungs.every(({ name }) => ladder.guesses.value[name] !== undefined);
  const played = usePlayed(ladder.played, recordings === null || isLive ? 0 : isGuessed ? steps : beginning);
  const trained = Math.max(
    0,
    ...[...live.values()].map(({ view }) => (view === null ? 0 : stepsTaken(view))),
  );
  // Beside live runs a recording goes as far as they have come.
  const until = isOver ? steps : isLive ? trained : played;
  const found = rungs.map((rung) => {
    const recording = recordingOf(recordings, rung);
    const own = live.get(rung.preset);
    const on = own === undefined ? shownOfRecording(recording, until) : shownOfLive(own);
    const ghost = recordedCurves(recording, isGuessed || isOver ? steps : on.step);
    return { rung, live: own, ghost, ...on };
  });
  const asked = sharedQuestion(found.map(({ pool }) => pool));
  const now = found.map(({ pool, ...one }): Shown => ({ ...one, answer: answerOf(pool, asked) }));
  const kept = useRef(now);
  if (!ladder.isRead.value) kept.current = now;
  const shown = now.map((one, i) => ({
    ...one,
    answer: kept.current[i].answer,
    isTest: kept.current[i].isTest,
  }));
  return { shown, isLive, isOver, isTold: isOver || (!isLive && isGuessed && played === steps) };
}

const evaluated = (recording: Recording | null, until: number): Evaluation[] =>
  (recording?.evals ?? []).filter(({ report }) => report.step <= until);

const recordedCurves = (recording: Recording | null, until: number): Curves =>
  curvesOf(
    (recording?.records ?? []).filter(({ step }) => step <= until),
    evaluated(recording, until),
  );

type Own = Omit<Shown, 'rung' | 'live' | 'ghost' | 'answer'> & { pool: AnswerPool };

function shownOfLive({ view }: LiveRung): Own {
  if (view === null) return { curves: curvesOf([], []), step: 0, ...toDraw([], [], []) };
  const evaluations = view.evaluations.value;
  const records = view.records.value;
  return {
    curves: curvesOf(records, evaluations),
    step: stepsTaken(view),
    ...toDraw(view.latestRollouts.value, records, evaluations),
  };
}

/** Of the test once it is judged, before that of practice. */
function toDraw(
  practised: readonly Rollout[],
  records: readonly StepRecord[],
  evaluations: readonly Evaluation[],
): Pick<Own, 'pool' | 'isTest' | 'ending' | 'verdict'> {
  const ending = judgedEnding(evaluations);
  const last = evaluations.at(-1);
  if (ending !== null && last !== undefined) {
    const { samples, meanThinkLength, shortcutWrong } = last.report;
    const pool = { rollouts: samples, mean: meanThinkLength, right: shortcutWrong.accuracy };
    return { pool, isTest: true, ending, verdict: last.verdict ?? null };
  }
  const mean = records.findLast(({ step }) => step === practised.at(0)?.step)?.[mainMetrics.thinking] ?? 0;
  return { pool: answerPool(practised, mean), isTest: false, ending: null, verdict: null };
}

function shownOfRecording(recording: Recording | null, until: number): Own {
  const kept = recording?.rollouts ?? [];
  const at = kept.findLast(({ step }) => step <= until)?.step ?? kept.at(0)?.step;
  const practised = kept.filter(({ step }) => step === at);
  return {
    curves: recordedCurves(recording, until),
    step: until,
    ...toDraw(practised, recording?.records ?? [], evaluated(recording, until)),
  };
}

/** The step that the replay has come to on its way; at once the last one where no motion is wanted. */
function usePlayed(played: Signal<number>, to: number): number {
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
  return Math.min(played.value, to);
}
