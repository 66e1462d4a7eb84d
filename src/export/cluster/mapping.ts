/**
 * Maps a run's settings to those of an engine. A setting without a counterpart causes an error if the objective would change,
 * and an entry in `lost` if the effect is small.
 */
import { MarbleError } from '../../base/error';
import type { ResolvedAlgorithm } from '../../objective/algorithm';
import type { RunConfig } from '../../run/config/config';
import type { ModelChoice } from '../../run/config/model-config';
import { importedId } from '../../run/config/imported';
import { warmStepsOf } from '../../run/config/warm-start';

export type Engine = 'verl' | 'trl';

type SettingValue = string | number | boolean | null | readonly (string | number)[];

/** A setting of the run that the engine lacks or implements differently. */
export interface Lost {
  /** Dotted path of the setting in the run's configuration, or its name on the page. */
  what: string;
  /** Description of the engine's behaviour. */
  instead: string;
}

export interface Mapped {
  config: RunConfig;
  algorithm: ResolvedAlgorithm;
  engine: Engine;
  /** TRL's trainer. */
  trainer?: 'GRPO' | 'RLOO';
  settings: Map<string, SettingValue>;
  lost: Lost[];
}

/** True if the engine downloads the model. Engines cannot read GGUF files, so an export of such a model contains the weights. */
export function isOnHub(model: ModelChoice): model is Extract<ModelChoice, { kind: 'hub' }> {
  return model.kind === 'hub' && !model.repository.includes(':');
}

const engineNames: Record<Engine, string> = { verl: 'verl', trl: 'TRL' };

/** Texts by subject; false if the subject does not apply to the run. */
type Rules = Readonly<Record<string, string | false>>;

/**
 * @param rules remedies for settings without which the engine would train for another objective
 * @throws MarbleError `export/no-counterpart` for the first rule that applies
 */
export function refuse({ engine }: Pick<Mapped, 'engine'>, rules: Rules): void {
  for (const [what, nextStep] of Object.entries(rules)) {
    if (nextStep === false) continue;
    throw new MarbleError(
      'export/no-counterpart',
      `${what} has no counterpart in ${engineNames[engine]}. Without it the run would have another objective.`,
      nextStep,
    );
  }
}

/** Sets options of the engine. Undefined values leave the engine's default. */
export function set(mapped: Mapped, settings: Record<string, SettingValue | undefined>): void {
  for (const [name, value] of Object.entries(settings))
    if (value !== undefined) mapped.settings.set(name, value);
}

/** @param rules descriptions of the engine's behaviour for settings that it lacks or implements differently */
export function lose(mapped: Mapped, rules: Rules): void {
  for (const [what, instead] of Object.entries(rules))
    if (instead !== false) mapped.lost.push({ what, instead });
}

/** Optimiser steps per batch of rollouts. */
export function updatesPerStep({ optimizer }: RunConfig): number {
  return optimizer.passes * optimizer.miniBatches;
}

/**
 * Micro-batch size: the largest divisor of `whole` that does not exceed the run's micro-batch.
 */
export function microBatchWithin(config: RunConfig, whole: number): number {
  let size = config.optimizer.microBatch === 0 ? whole : Math.min(config.optimizer.microBatch, whole);
  while (whole % size !== 0) size -= 1;
  return size;
}

/** Applies the rules that hold for every engine. */
export function loseEverywhere(mapped: Mapped): void {
  const { config, algorithm } = mapped;
  const { evaluation, rollout, optimizer } = config;
  const dataset = importedId(config.data.source);
  const rollouts = rollout.promptsPerStep * rollout.samplesPerPrompt;
  lose(mapped, {
    seed: 'fixes the order of the prompts and the initial weights of a new adapter; the engine samples with its own random numbers, so samples differ',
    'training.mode':
      config.training.mode === 'lora' &&
      'the frozen weights keep the precision of their files, and Marble rounds them to bf16',
    'early warning, alerts, verdict': 'not available; open the log in Marble for curves',
    'data.source':
      dataset !== null &&
      `the parquet files contain only the questions of ${dataset}; link.txt contains its id only, so its file is needed to score completions again`,
    'evaluation.imported':
      (evaluation.imported ?? []).length > 0 && 'imported data sets for evaluation are not exported',
    'evaluation.patience': evaluation.patience > 0 && 'the run does not stop early',
    'evaluation.validationItems':
      (evaluation.validationItems ?? 0) > 0 &&
      'no best checkpoint is selected; val.parquet contains only the reported set',
    'optimizer.warmupSteps': optimizer.warmupSteps > 0 && 'the warm-up begins at a rate of 0',
    'optimizer.finalFraction':
      optimizer.finalFraction !== 1 && 'the final rate is reached one step after the last',
    evaluation:
      'val.parquet has the items of the training orders; held-out orders and other tasks are not exported',
  });
  refuse(mapped, {
    'One sample for each prompt':
      algorithm.resampleRounds === 0 &&
      rollout.samplesPerPrompt === 1 &&
      algorithm.baseline !== 'none' &&
      'Set samplesPerPrompt to 2 or more.',
    [`${rollouts} rollouts in ${optimizer.miniBatches} mini-batches of unequal size`]:
      rollouts % optimizer.miniBatches !== 0 && 'Choose miniBatches that divide the rollouts of a step.',
    'A warm start on gold traces':
      warmStepsOf(config) > 0 &&
      'Train only the warm start, save it, and export a run that starts from the saved weights.',
    [`The reward function “${config.reward.custom}”`]:
      config.reward.custom !== undefined && 'Train it in Marble, or export a run with a reward preset.',
    [`Imitation of gold completions (${config.method})`]:
      config.method !== 'rl' &&
      'Choose a preset that trains with rewards; the engines have separate trainers for imitation.',
  });
}
