/**
 * Evaluates a run during training: on the fixed set, and on the validation set if there is one. Then derives the
 * verdict against the start of the steps on rewards, the alerts, and whether the policy is the best so far.
 */
import type { PassProgress, Policy } from '../../model/policy';
import { measuredAccuracy, wilson, type Accuracy } from '../../reward/accuracy';
import type { RunConfig } from '../../run/config/config';
import { isLookAt } from '../../run/config/evaluation-plan';
import { borderOf } from '../../run/config/warm-start';
import { watchEvaluation } from '../../run/verdict/alert-rules';
import { standingEnding } from '../../run/verdict/ending';
import type { Alert } from '../../run/record/events';
import type { EvalReport, Verdict } from '../../run/record/evaluation';
import { fromOutcomeTable } from '../../run/verdict/outcome-table';
import { verdictOf } from '../../run/verdict/verdict';
import type { Control } from '../control';
import type { ItemSource } from '../data';
import { evaluate } from './evaluate';
import { completeFrom } from '../rollout';
import type { Run } from '../trainer-state';

export interface RunEvaluation {
  report: EvalReport;
  /** Null until the first evaluation after a step on rewards. */
  verdict: Verdict | null;
  alerts: readonly Alert[];
  /** True if this is the best accuracy so far, on the validation set or, without one, on the evaluation set. */
  isBest: boolean;
}

/**
 * Evaluates a run. Changes the run's state only at the end, which allows a restart after any tick.
 *
 * @param known - report of the policy at this step, if it was measured before
 */
export async function evaluateAt(
  step: number,
  run: Run,
  control: Control,
  known?: EvalReport,
): Promise<RunEvaluation> {
  const { config, state } = run;
  const border = borderOf(config);
  let isLook = isLookAt(step, config);
  let report = known ?? (await measure(step, isLook, run, control));
  const accuracy = measuredAccuracy(report.validation ?? report.overall) ?? 0;
  const isBest = accuracy > state.bestAccuracy;
  const evaluationsSinceBest = isBest || step <= border ? 0 : state.evaluationsSinceBest + 1;
  // Early stopping makes this evaluation the last one, which has the full size and replaces the intermediate one.
  if (isLook && hasStalled(config, evaluationsSinceBest)) {
    isLook = false;
    report = await measure(step, isLook, run, control);
  }
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
    const watched = watchEvaluation(state.baseline, report, verdict, ending, state.alerts);
    state.alerts = watched.state;
    alerts.push(...watched.alerts);
  }
  state.evaluationsSinceBest = evaluationsSinceBest;
  state.bestAccuracy = Math.max(state.bestAccuracy, accuracy);
  return { report, verdict, alerts, isBest };
}

/** Early stopping: true after `patience` evaluations without a new best accuracy. */
export function hasStalled({ evaluation: { patience } }: RunConfig, evaluationsSinceBest: number): boolean {
  return patience > 0 && evaluationsSinceBest >= patience;
}

/** Measures the policy on the fixed set, and on the validation set if there is one. */
export async function measure(
  step: number,
  isLook: boolean,
  { policy, config, source, reward }: Run,
  control: Control,
): Promise<EvalReport> {
  const isValidated = source.validation.length > 0;
  const parts = 1 + Number(isValidated);
  const ofPart = (part: number) => (fraction: number) => control.tick('evaluate', (part + fraction) / parts);
  const ends = { temperature: config.rollout.temperature, seed: config.evaluation.seed };
  await control.tick('evaluate', 0);
  const evaluated = await evaluate(policy, source.suite, {
    step,
    isLook,
    reward,
    ends: isLook ? undefined : ends,
    onProgress: ofPart(0),
  });
  const validation = isValidated ? await validate(policy, source, ofPart(1)) : undefined;
  return { ...evaluated, ...(validation && { validation }) };
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

/**
 * Greedy accuracy on the validation set, for early stopping and the best checkpoint. It keeps the reported set out of model
 * selection.
 *
 * @param onProgress receives the completed fraction of the set
 * @throws MarbleError those of `encodePrompt` and `Policy.generate`
 */
export async function validate(
  policy: Policy,
  { validation, suite: { reward, maxNewTokens } }: ItemSource,
  onProgress?: PassProgress,
): Promise<Accuracy> {
  const starts = validation.map((item) => ({ item, forced: [] }));
  const answered = await completeFrom(policy, starts, { maxNewTokens, reward, onProgress });
  return wilson(answered.filter(({ correct }) => correct).length, validation.length);
}
