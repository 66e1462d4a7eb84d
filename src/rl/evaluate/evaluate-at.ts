/**
 * Evaluates a run during training. Then derives the verdict against the start of the steps on rewards, and the alerts.
 */
import { isLookAt } from '../../run/config/evaluation-plan';
import { borderOf } from '../../run/config/warm-start';
import { watchEvaluation } from '../../run/verdict/alert-rules';
import { standingEnding } from '../../run/verdict/ending';
import type { Alert } from '../../run/record/events';
import type { EvalReport, Verdict } from '../../run/record/evaluation';
import { fromOutcomeTable } from '../../run/verdict/outcomes';
import { verdictOf } from '../../run/verdict/verdict';
import type { Control } from '../control';
import { evaluate } from './evaluate';
import type { Run } from '../trainer-state';

interface RunEvaluation {
  report: EvalReport;
  /** Null until the first evaluation after a step on rewards. */
  verdict: Verdict | null;
  alerts: readonly Alert[];
}

/** Evaluates a run. Changes the run's state only at the end, which allows a restart after any tick. */
export async function evaluateAt(step: number, run: Run, control: Control): Promise<RunEvaluation> {
  const { config, state } = run;
  const border = borderOf(config);
  const isLook = isLookAt(step, config);
  const report = await measure(step, isLook, run, control);
  // Effects of the warm start must not count as effects of rewards.
  if (state.baseline === null || step === border) {
    state.baseline = report;
    state.lastEnding = null;
  }
  state.evaluatedStep = step;
  const verdict =
    step <= border ? null : verdictAgainst(state.baseline, report, isLook, config.evaluation.seed);
  const alerts: Alert[] = [];
  if (verdict !== null) {
    const before = state.lastEnding === null ? [] : [{ ending: state.lastEnding, provisional: true }];
    const ending = standingEnding([...before, verdict]);
    state.lastEnding = verdict.ending;
    const watched = watchEvaluation(verdict, ending, state.alerts);
    state.alerts = watched.state;
    alerts.push(...watched.alerts);
  }
  return { report, verdict, alerts };
}

/** Measures the policy on the fixed set. */
export async function measure(
  step: number,
  isLook: boolean,
  { policy, config, source, reward }: Run,
  control: Control,
): Promise<EvalReport> {
  const ends = { temperature: config.rollout.temperature, seed: config.evaluation.seed };
  await control.tick('evaluate', 0);
  return evaluate(policy, source.suite, {
    step,
    isLook,
    reward,
    ends: isLook ? undefined : ends,
    onProgress: (fraction) => control.tick('evaluate', fraction),
  });
}

/** Null at the step of the start itself. */
export function verdictAgainst(
  start: EvalReport,
  now: EvalReport,
  isLook: boolean,
  seed: number,
): Verdict | null {
  if (start.step === now.step || start.outcomes === undefined || now.outcomes === undefined) return null;
  return verdictOf(fromOutcomeTable(start.outcomes), fromOutcomeTable(now.outcomes), {
    step: now.step,
    provisional: isLook,
    ...(start.step > 0 && { against: start.step }),
    ...(start.hard &&
      now.hard && { hard: [fromOutcomeTable(start.hard), fromOutcomeTable(now.hard)] as const }),
    ...(start.sampled && now.sampled && { sampled: [start.sampled.correct, now.sampled.correct] as const }),
    seed,
  });
}
