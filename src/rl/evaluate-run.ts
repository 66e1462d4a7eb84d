/**
 * What a run learns of itself at an evaluation: on the fixed set, on the validation set where there is one, and at step 0
 * the forecast; then the verdict against step 0, the alerts, and whether the policy is the best so far.
 */
import { watchEvaluation } from '../run/alerts';
import { standingEnding } from '../run/ending';
import type { Alert } from '../run/events';
import type { EvalReport, Forecast, Verdict } from '../run/evaluation';
import { fromOutcomeTable } from '../run/outcome-table';
import { verdictOf } from '../run/verdict';
import type { Control } from './control';
import { evaluate } from './evaluate';
import { forecastCollapse } from './forecast';
import type { Run } from './trainer-state';
import { validate } from './validate';

export interface RunEvaluation {
  report: EvalReport;
  /** Null at step 0. */
  verdict: Verdict | null;
  /** At step 0 only. */
  forecast: Forecast | null;
  alerts: readonly Alert[];
  /** The best accuracy since step 0, on the validation set or, without one, on the evaluation set. */
  isBest: boolean;
}

/** Changes the run's state only at its end, so that it can be begun again after any tick. */
export async function evaluateRun(
  { policy, config, source, state }: Run,
  step: number,
  control: Control,
): Promise<RunEvaluation> {
  const isForecast = step === 0 && config.method === 'rl';
  const isValidated = source.validation.length > 0;
  const parts = 1 + Number(isForecast) + Number(isValidated);
  const ofPart = (part: number) => (fraction: number) => control.tick('evaluate', (part + fraction) / parts);
  const isLook = step > 0 && step < config.steps;
  const ends = { temperature: config.rollout.temperature, seed: config.evaluation.seed };
  await control.tick('evaluate', 0);
  const evaluated = await evaluate(policy, source.suite, {
    step,
    isLook,
    ends: isLook ? undefined : ends,
    onProgress: ofPart(0),
  });
  const validation = isValidated ? await validate(policy, source, ofPart(1)) : undefined;
  const report: EvalReport = { ...evaluated, ...(validation && { validation }) };
  const forecast = isForecast
    ? await forecastCollapse(policy, source.suite, config, ofPart(parts - 1))
    : null;

  state.baseline ??= report;
  state.evaluatedStep = step;
  const verdict = verdictAgainst(state.baseline, report, isLook, config.evaluation.seed);
  const alerts: Alert[] = [];
  if (verdict !== null) {
    const before = state.lastEnding === null ? [] : [{ ending: state.lastEnding, provisional: true }];
    const ending = standingEnding([...before, verdict]);
    state.lastEnding = verdict.ending;
    const watched = watchEvaluation(state.baseline, report, verdict, ending, state.alerts);
    state.alerts = watched.state;
    alerts.push(...watched.alerts);
  }
  const { accuracy } = validation ?? report.overall;
  const isBest = step > 0 && accuracy > state.bestAccuracy;
  state.evaluationsSinceBest = isBest || step === 0 ? 0 : state.evaluationsSinceBest + 1;
  state.bestAccuracy = Math.max(state.bestAccuracy, accuracy);
  return { report, verdict, forecast, alerts, isBest };
}

/** Null at step 0, and where the run began in a version that kept no outcomes. */
function verdictAgainst(start: EvalReport, now: EvalReport, isLook: boolean, seed: number): Verdict | null {
  if (start.step === now.step || start.outcomes === undefined || now.outcomes === undefined) return null;
  return verdictOf(fromOutcomeTable(start.outcomes), fromOutcomeTable(now.outcomes), {
    step: now.step,
    provisional: isLook,
    ...(start.sampled && now.sampled && { sampled: [start.sampled.correct, now.sampled.correct] as const }),
    seed,
  });
}
