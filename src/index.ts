/**
 * The public surface of Marble: what the worker trains with, and the tests, the benches and outside users import. Documented under
 * "As a library" in the README.
 */
import type { Engine } from './gpu/engine';
import type { Policy } from './model/policy';
import type { ExportedRun, ExportOptions } from './export/cluster/export-run';
import type { RunConfig } from './run/config/config';
import type { Checkpoint, TrainerEvent } from './run/record/events';
import { planMemory, refusePlan } from './model/device/memory-plan';
import { memorySettings } from './run/config/memory-settings';
import type { MarbleError } from './base/error';
import { checkKeys } from './base/known-keys';
import { checkRunConfig } from './run/config/check-config';
import { train as trainPolicy, type TrainOptions } from './rl/trainer';

export { MarbleError, toErrorReport, type ErrorReport, type ErrorCode } from './base/error';
export { openEngine, type Engine, type EngineOptions, type BackendName } from './gpu/engine';
export { probeAdapter, type Capabilities } from './gpu/capabilities';
export {
  chooseBackend,
  type BackendChoice,
  type BackendTiming,
  type StepShape,
} from './model/device/choose-backend';
export { loadPolicy, type LoadOptions } from './model/load-policy';
export { modelTileCode, tuneModel, type TuneOptions } from './model/device/tune-model';
export type { TileChoices } from './ops/matmul/tiles';
export { loadTokenizer } from './model/tokenizer/tokenizer-files';
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
export { answerQuestion, type Answers } from './rl/evaluate/answer';
export { causalUse } from './rl/evaluate/causal-use';
export { outcomeOf, type ItemOutcome } from './run/verdict/outcomes';
export type { Ending } from './run/verdict/ending';
export { verdictOf } from './run/verdict/verdict';
export { presets, defaultPreset } from './run/config/presets';
export type { AlgorithmConfig } from './objective/algorithm';
export type { RunConfig } from './run/config/config';
export type { Alert, Checkpoint, StepRecord, TrainerEvent } from './run/record/events';
export type { CausalUse, EvalReport, Verdict } from './run/record/evaluation';
export type { Rollout } from './run/record/rollout-record';
export { generateDataset, generatorNames } from './tom/worlds/generate';
export { heldOutItems } from './tom/worlds/held-out';
export { importDataset, previewDataset } from './tom/import/import-dataset';
export { solve } from './tom/beliefs/solve';
export type { Item, DataSpec } from './tom/item';
export { formatPrompt } from './tom/text/prompts';
export { score } from './reward/score';
export { suiteRows } from './reward/suites';
export type { RewardParts, RewardPreset } from './reward/types';
export { encodeLink, decodeLink } from './share/link';

/** A run as the files that verl or TRL trains from (`src/export/cluster/export-run.ts`), fetched when it is asked for. */
export async function exportRun(config: RunConfig, options: ExportOptions): Promise<ExportedRun> {
  return (await import('./export/cluster/export-run')).exportRun(config, options);
}

/**
 * Trains `policy` in place, one configuration after another: see `src/rl/trainer.ts`. A run that the engine has no room for
 * ends at once, with `model/adapter-too-small` or `model/memory-too-small`. A lost device ends the stream
 * with a `lost` event; open a new engine and policy and pass the last checkpoint as `resume`.
 */
export function train(
  engine: Engine,
  policy: Policy,
  config: RunConfig,
  resume?: Checkpoint,
  options: Omit<TrainOptions, 'resume' | 'check'> = {},
): AsyncGenerator<TrainerEvent, void, void> {
  const imported = {
    imported: true,
    firstEvaluation: true,
    evaluatesStartLater: true,
    watchesTokens: true,
  } as const;
  checkKeys('train', options, { ...imported, checkpointRequested: true, signal: true });
  checkRunConfig(config);
  const refusal = refuseRun(engine, policy.config, config);
  const check = (): Promise<void> => (refusal === null ? engine.check() : Promise.reject(refusal));
  return trainPolicy(policy, config, { ...options, resume, check });
}

/** Bytes that WebAssembly can address. */
const WASM_BYTES = 2 ** 32;

/** @returns the error that the run would end in on this engine, or null; a GPU does not tell how much memory it has */
export function refuseRun(
  { backend, capabilities }: Pick<Engine, 'backend' | 'capabilities'>,
  model: Policy['config'],
  config: RunConfig,
): MarbleError | null {
  const all = { maxBufferBytes: Infinity, maxBindingBytes: Infinity };
  const plan = planMemory(model, memorySettings(config));
  return refusePlan(plan, capabilities ?? all, backend === 'wasm' ? WASM_BYTES : null);
}
