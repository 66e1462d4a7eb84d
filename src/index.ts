/**
 * The public library, which the worker, tests and benches also use. The README documents it under "As a library".
 */
import type { Engine } from './gpu/engine';
import type { Policy } from './model/policy';
import type { RunConfig } from './run/config/config';
import type { Checkpoint, TrainerEvent } from './run/record/events';
import type { MarbleError } from './base/error';
import { refusalOf, planRun } from './plan/plan-run';
import type { RunPlan } from './run/estimate';
import { checkKeys } from './base/known-keys';
import { checkRunConfig } from './run/config/check-config';
import { withCustomReward } from './run/config/custom-reward';
import { train as trainPolicy, type TrainOptions } from './rl/trainer';

export { MarbleError, toErrorReport, type ErrorReport, type ErrorCode } from './base/error';
export { openEngine, type Engine, type EngineOptions, type BackendName } from './gpu/engine';
export { probeAdapter, type Capabilities } from './gpu/capabilities';
export { chooseBackend, type BackendChoice } from './model/device/choose-backend';
export { planRun } from './plan/plan-run';
export { measureSpeed } from './plan/speed';
export { estimate, notBegun, secondsLeft, type RunPlan, type Speed } from './run/estimate';
export { loadPolicy, type LoadOptions } from './model/load-policy';
export { loadTokenizer } from './model/tokenizer/tokenizer';
export type { ModelSource } from './model/source/source';
export type {
  Policy,
  Completion,
  GenerateOptions,
  ReadPrompts,
  PolicyState,
  AdamWOptions,
} from './model/policy';
export type { Tokenizer } from './model/tokenizer/tokenizer';
export type { ChatMessage } from './model/tokenizer/chat-template';
export { algorithms } from './objective/algorithm';
export { computeAdvantages } from './objective/advantages';
export { policyLoss } from './objective/loss';
export { evaluate } from './rl/evaluate/evaluate';
export { openItems, withPromptBaseline, type EvalSuite, type ItemSource } from './rl/data';
export { answerQuestion, type Answers } from './rl/evaluate/answer';
export { outcomeOf, type ItemOutcome } from './run/verdict/outcomes';
export type { Ending } from './run/verdict/ending';
export { verdictOf } from './run/verdict/verdict';
export { presets, defaultPreset } from './run/config/presets';
export type { AlgorithmConfig } from './objective/algorithm';
export type { RunConfig } from './run/config/config';
export type { Alert, Checkpoint, StepRecord, TrainerEvent } from './run/record/events';
export { measuredAccuracy } from './reward/accuracy';
export type { EvalReport, Verdict } from './run/record/evaluation';
export type { Rollout } from './run/record/rollout-record';
export { generateDataset } from './tom/worlds/generate';
export { importDataset, previewDataset } from './tom/import/import-dataset';
export { solve } from './tom/beliefs/solve';
export type { Item, DataSpec } from './tom/item';
export { formatPrompt } from './tom/text/prompts';
export { score } from './reward/score';
export type { CustomReward } from './reward/custom';
export type { RewardParts, RewardPreset } from './reward/types';
export { encodeLink, decodeLink } from './share/settings-link';

/**
 * Trains `policy` in place (`src/rl/trainer.ts`). The stream ends with a `done`, `failed` or `lost` event:
 *
 * - A run that does not fit into the engine's memory fails before its first step, with `model/adapter-too-small` or
 *   `model/memory-too-small`. If memory runs out later, the code is `gpu/out-of-memory`. The errors name the settings to
 *   lower.
 * - A run whose first step on rewards has no signal fails with `rl/no-signal`, before that step's update.
 * - After `lost` (a lost device), open a new engine and policy and pass the last checkpoint as `resume`.
 *
 * An aborted run ends with a checkpoint instead.
 *
 * @param resume - checkpoint of an equal configuration, at whose next step training continues
 * @param options.isPlanned - skips the memory check, for a run that `refuseRun` has accepted
 * @param options.anyway - trains even if the rewards carry no signal
 * @param options.reward - replaces the total of the reward preset; the configuration records its name
 * @throws MarbleError `app/unknown-option`, and errors of an invalid configuration
 */
export function train(
  engine: Engine,
  policy: Policy,
  config: RunConfig,
  resume?: Checkpoint,
  options: LibraryTrainOptions = {},
): AsyncGenerator<TrainerEvent, void, void> {
  checkKeys('train', options, {
    ...{ imported: true, evaluatesStartLater: true },
    ...{ checkpointRequested: true, signal: true, isPlanned: true, reward: true, anyway: true },
  });
  checkRunConfig(config);
  const rewarded = withCustomReward(config, options.reward);
  return trainPlanned(engine, policy, rewarded, resume, options);
}

type LibraryTrainOptions = Omit<TrainOptions, 'resume' | 'check' | 'needsSignal'> & {
  isPlanned?: boolean;
  anyway?: boolean;
};

async function* trainPlanned(
  engine: Engine,
  policy: Policy,
  config: RunConfig,
  resume: Checkpoint | undefined,
  { isPlanned = false, anyway = false, ...options }: LibraryTrainOptions,
): AsyncGenerator<TrainerEvent, void, void> {
  const { imported } = options;
  const refusal = isPlanned ? null : await refuseRun(engine, policy.config, config, { imported });
  const check = (): Promise<void> => (refusal === null ? engine.check() : Promise.reject(refusal));
  const needsSignal = !anyway;
  yield* trainPolicy(policy, config, { ...options, resume, check, needsSignal });
}

/**
 * Checks that a run fits into the memory of an engine. Nothing else may use the engine meanwhile, since planning replaces it.
 *
 * @param known - the run's plan, if there is one
 * @returns the error with which the run would fail, which names the settings to lower; null if the run fits
 */
export async function refuseRun(
  engine: Pick<Engine, 'backend' | 'capabilities'>,
  model: Policy['config'],
  config: RunConfig,
  { imported, known }: { imported?: TrainOptions['imported']; known?: RunPlan } = {},
): Promise<MarbleError | null> {
  // The schemas are needed here only.
  const { refuseUnrecordable } = await import('./plan/recordable');
  const unrecordable = refuseUnrecordable(config, imported);
  if (unrecordable !== null) return unrecordable;
  const plan = known ?? (await planRun(model, config, engine.backend, imported));
  return refusalOf(plan, engine);
}
