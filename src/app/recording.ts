/** A run recorded beforehand, replayed with the charts of a live one so that the page is alive before any work is done. */
import { batch } from '@preact/signals';
import type { RunConfig } from '../run/config';
import type { Rollout, StepRecord } from '../run/events';
import type { Evaluation } from '../store/records';
import { createRunView, type RunView } from './run-view';

/** `public/recording.json`, written by `scripts/record.ts`. */
export interface Recording {
  version: 1;
  config: RunConfig;
  /** On what it ran, for the label: `Node 20, wasm, 2 cores`. */
  machine: string;
  /** The day, ISO 8601. */
  recordedOn: string;
  /** How long the run took. */
  seconds: number;
  records: StepRecord[];
  evals: Evaluation[];
  rollouts: Rollout[];
}

/** How long a replay lasts, in milliseconds, whatever the run's length. */
const replayTime = 14_000;

/** @returns null where the build carries none */
export async function fetchRecording(base: string): Promise<Recording | null> {
  const response = await fetch(new URL('recording.json', base));
  if (!response.ok) return null;
  const recording = (await response.json()) as Partial<Recording>;
  return recording.version === 1 ? (recording as Recording) : null;
}

export interface Replay {
  view: RunView;
  /** Shows the end at once. */
  finish(): void;
  stop(): void;
}

/** Starts a replay. Who asks for less motion sees the end at once. */
export function startReplay(recording: Recording): Replay {
  const view = createRunView('recording', recording.config);
  const lastStep = recording.records.at(-1)?.step ?? 0;
  const begun = performance.now();
  const stepsWithRollouts = [...new Set(recording.rollouts.map((rollout) => rollout.step))];
  let frame = 0;
  let shown = -1;

  const showUpTo = (step: number): void => {
    if (step === shown) return;
    shown = step;
    batch(() => {
      view.records.value = recording.records.filter((record) => record.step <= step);
      view.evaluations.value = recording.evals.filter(({ report }) => report.step <= step);
      view.rolloutSteps.value = stepsWithRollouts.filter((sampled) => sampled <= step);
    });
  };
  const finish = (): void => {
    cancelAnimationFrame(frame);
    showUpTo(lastStep);
  };
  const play = (now: number): void => {
    const part = Math.min(1, (now - begun) / replayTime);
    showUpTo(Math.round(part * lastStep));
    if (part < 1) frame = requestAnimationFrame(play);
  };
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) finish();
  else frame = requestAnimationFrame(play);
  return { view, finish, stop: () => cancelAnimationFrame(frame) };
}
