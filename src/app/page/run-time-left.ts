/** How long a step took, and a run has still to go, from the pace of its last steps and evaluations. */
import { signal } from '@preact/signals';
import { completionsOf, type RunConfig } from '../../run/config/config';
import { answersAt, answersOf } from '../../run/config/evaluation-plan';
import type { StepRecord } from '../../run/record/events';
import type { RunView } from '../session/run-view';

const window = 12;
/** The first steps compile and fill caches: they are no pace. */
const unlike = 2;

/** What is known of a run until now. */
export interface RunSoFar {
  config: RunConfig;
  records: readonly StepRecord[];
  /** The last step that was evaluated; -1 for none. */
  evaluated: number;
  /** How many answers the evaluation that is at work has; null where none is. */
  evaluating: number | null;
}

const takenOf = ({ records }: RunSoFar): number => records.at(-1)?.step ?? 0;

export function soFar({ config, records, evaluations, progress }: RunView): RunSoFar {
  const evaluated = evaluations.value.at(-1)?.report.step ?? -1;
  const { phase, step, fraction } = progress.value ?? {};
  const isAtWork = phase === 'evaluate' && step !== evaluated;
  const evaluating = isAtWork ? (fraction ?? 0) * answersAt(step ?? 0, config) : null;
  return { config, records: records.value, evaluated, evaluating };
}

export type StepPace = ReturnType<typeof createStepPace>;

export function createStepPace() {
  /** Without the evaluations in between; null before the fourth that is seen. */
  const secondsPerStep = signal<number | null>(null);
  /** Of an evaluation; null before one was seen. */
  const secondsPerAnswer = signal<number | null>(null);
  let times: number[] = [];
  let taken = 0;
  let seen = 0;
  let evaluated = -1;
  let begun: number | null = null;
  return {
    secondsPerStep,
    secondsPerAnswer,
    /** Tells how the run stands now. */
    tell(now: number, run: RunSoFar): void {
      if (run.evaluated !== evaluated && begun !== null) {
        const took = now - begun;
        times = times.map((time) => time + took);
        secondsPerAnswer.value = took / 1000 / answersAt(run.evaluated, run.config);
        begun = null;
      }
      evaluated = run.evaluated;
      const step = takenOf(run);
      if (step > taken && ++seen > unlike) {
        times = [...times, now].slice(-window);
        if (times.length > 1) secondsPerStep.value = (now - times[0]) / 1000 / (times.length - 1);
      }
      taken = step;
      if (run.evaluating !== null) begun ??= now;
    },
    /** A pause is no pace: forgets what was measured before it. */
    restart(): void {
      times = [];
      begun = null;
    },
  };
}

/** Seconds that a run has still to go, its evaluations among them; null before its steps have a pace. */
export function secondsToGo(
  run: RunSoFar,
  { secondsPerStep, secondsPerAnswer }: Pick<StepPace, 'secondsPerStep' | 'secondsPerAnswer'>,
): number | null {
  const { config, records, evaluated, evaluating } = run;
  if (secondsPerStep.value === null) return null;
  const taken = takenOf(run);
  const last = records.slice(unlike).slice(-window);
  const sampling = last.reduce((sum, record) => sum + (record['time/rollout'] ?? 0), 0);
  // Before an evaluation was timed: an answer of its own prompt cost 2.0 (hitom-mini), 3.2, 3.5 and 4.4 (the ladder) of one of a
  // step, whose samples share theirs.
  const perAnswer =
    secondsPerAnswer.value ?? (3 * sampling) / Math.max(1, last.length) / completionsOf(config);
  const answers = answersOf(config, evaluated) - (evaluating ?? 0);
  return secondsPerStep.value * (config.steps - taken) + perAnswer * answers;
}

/**
 * What a step took: its own time and that of keeping it; evaluations are left out.
 *
 * @returns undefined where the record does not say, as of runs from elsewhere
 */
export function stepSeconds({
  step_time: seconds,
  'time/store': keeping = 0,
}: StepRecord): number | undefined {
  return seconds === undefined ? undefined : seconds + keeping;
}
