/** What a step leaves behind: the state that the next one begins with, the record, and the completions to look at. */
import type { AdamWOptions } from '../model/policy';
import type { ResolvedAlgorithm } from '../run/algorithm';
import type { StepRecord } from '../run/events';
import type { Rollout, TokenChanges } from '../run/rollout-record';
import { stepRecord, type PhaseTimes } from '../run/metrics';
import type { Gathered } from './gather';
import { nextKlCoefficient } from '../run/kl';
import { tokenizerOf, toRollout } from './rollout';
import type { Run } from './trainer-state';
import type { UpdateReport } from './update';

export interface StepOutcome {
  record: StepRecord;
  rollouts: Rollout[];
  /** False where loss or gradient were not finite. */
  applied: boolean;
}

interface StepResults {
  gathered: Gathered;
  report: UpdateReport;
  byToken: ReadonlyMap<number, TokenChanges>;
  settings: ResolvedAlgorithm;
  adamw: AdamWOptions;
  times: PhaseTimes;
}

export function concludeStep(
  { policy, state }: Run,
  step: number,
  { gathered: { samples, resampled, padded }, report, byToken, settings, adamw, times }: StepResults,
): StepOutcome {
  const { kl, entropyTarget } = settings;
  state.numTokens += samples.reduce((sum, { prompt, response }) => sum + prompt.length + response.length, 0);
  state.entropy = report.entropyControl;
  if (report.kl !== null) {
    state.klCoefficient = nextKlCoefficient(state.klCoefficient, report.kl, samples.length, kl);
  }
  const record = stepRecord({
    step,
    samples,
    update: report,
    learningRate: adamw.learningRate,
    hasEntropyTarget: entropyTarget > 0,
    klCoefficient: kl.place === 'none' ? 0 : kl.coefficient,
    numTokens: state.numTokens,
    resampled,
    padded,
    times,
  });
  const tokenizer = tokenizerOf(policy);
  const rollouts = samples.map((sample, i) =>
    toRollout(sample, step, tokenizer.decode(sample.prompt), report.advantages[i] ?? 0, byToken.get(i)),
  );
  return { record, rollouts, applied: report.applied };
}
