/** State of the three models of the first screen: their live runs, or their recordings up to the step to show. */
import type { Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { presets } from '../../run/config/presets';
import { judgedEnding } from '../../run/verdict/ending';
import type { Page } from '../page/page';
import { stepsTaken, type RunView } from '../session/run-view';
import { drawnItem, rungs, type Recording } from '../../run/recording/recording-file';
import { recordingOf } from '../page/recording';
import { curvesOf } from '../charts/lines/curve';

/** Number of training steps, the same for all models. */
export const { steps } = presets[rungs[0].preset];

/** Last replayed step before there is a guess. The second test follows it and would reveal the ending. */
const beginning = 9;

/** Duration of a replay in milliseconds, and its number of frames. */
const playTime = 5000;
const frames = 50;

export type LadderShown = ReturnType<typeof useShown>;
export type Shown = LadderShown['shown'][number];

export function useShown({ ladder, ...page }: Pick<Page, 'ladder' | 'recordings'>) {
  const recordings = page.recordings.value;
  const live = ladder.live.value;
  const isLive = live.size > 0;
  const isOver = isLive && !ladder.isOn.value;
  const isGuessed = ladder.isGuessed.value;
  const played = usePlayed(ladder.played, recordings === null || isLive ? 0 : isGuessed ? steps : beginning);
  const trained = Math.max(0, ...[...live.values()].flatMap((view) => (view ? stepsTaken(view) : [])));
  // A recording next to live runs is shown up to their step.
  const until = isOver ? steps : isLive ? trained : played;
  const shown = rungs.map((rung) => {
    const recording = recordingOf(recordings, rung.preset);
    const own = live.get(rung.preset);
    const { evaluations, ...on } =
      own == null ? shownOfRecording(recording, own === null ? 0 : until) : shownOfLive(own);
    const last = evaluations.at(-1) ?? recording?.evals.at(0);
    const ending = judgedEnding(evaluations);
    return {
      rung,
      live: own,
      /** Recording behind the live run. Before the guess it ends at the step of the run. */
      ghost: shownOfRecording(recording, isGuessed || isOver ? steps : on.step).curves,
      ...on,
      /** Answer of the latest test to the question of the picture. */
      tested: last?.report.samples.find(({ itemId }) => itemId === drawnItem) ?? null,
      ending,
      verdict: ending === null ? null : (last?.verdict ?? null),
    };
  });
  /** True if the ending may be shown: the guesses are made or skipped, and the run or the replay is over. */
  const isTold = isGuessed && (isOver || (!isLive && played === steps));
  return { shown, isLive, isOver, isTold, isWatched: isLive || ladder.asksGuess.value };
}

function shownOfLive(view: RunView) {
  const evaluations = view.evaluations.value;
  return { curves: curvesOf(view.records.value, evaluations), step: stepsTaken(view), evaluations };
}

function shownOfRecording(recording: Recording | null, step: number) {
  const evaluations = (recording?.evals ?? []).filter(({ report }) => report.step <= step);
  const records = (recording?.records ?? []).filter((record) => record.step <= step);
  return { curves: curvesOf(records, evaluations), step, evaluations };
}

/** Current step of the replay. With `prefers-reduced-motion` it jumps to the last step. */
function usePlayed(played: Signal<number>, to: number): number {
  useEffect(() => {
    const from = played.peek();
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) played.value = to;
    if (played.peek() >= to) return;
    const begun = performance.now();
    // A timer rather than animation frames: only 10 of 60 frames a second would differ.
    const timer = setInterval(() => {
      const part = Math.min(1, (performance.now() - begun) / playTime);
      played.value = Math.round(from + part * (to - from));
      if (part === 1) clearInterval(timer);
    }, playTime / frames);
    return () => clearInterval(timer);
  }, [to]);
  return Math.min(played.value, to);
}
