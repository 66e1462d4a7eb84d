/**
 * What a run's settings become elsewhere: a list of settings by name, and a list of what has no counterpart. What would
 * make the objective another one is refused; what changes its course a little is named.
 */
import { MarbleError } from '../../base/error';
import type { ResolvedAlgorithm } from '../../objective/algorithm';
import type { ModelChoice, RunConfig } from '../../run/config/config';
import { importedId } from '../../run/config/imported';
import { warmStepsOf } from '../../run/config/warm-start';

export type Engine = 'verl' | 'trl';

type SettingValue = string | number | boolean | null | readonly (string | number)[];

/** Something of the run that the engine does not do, or does otherwise. */
export interface Lost {
  /** The setting's dotted path in the run's configuration, or what it is called on the page. */
  what: string;
  /** What happens instead. */
  instead: string;
}

export interface Mapped {
  config: RunConfig;
  algorithm: ResolvedAlgorithm;
  engine: Engine;
  /** Of TRL's two. */
  trainer?: 'GRPO' | 'RLOO';
  settings: Map<string, SettingValue>;
  lost: Lost[];
}

/** Whether the engine fetches the model itself. It reads no GGUF file: the export of such a run has the weights in it. */
export function isOnHub(model: ModelChoice): model is Extract<ModelChoice, { kind: 'hub' }> {
  return model.kind === 'hub' && !model.repository.includes(':');
}

const engineNames: Record<Engine, string> = { verl: 'verl', trl: 'TRL' };

/** Texts by what they are about; false where the run has none of it. */
type Rules = Readonly<Record<string, string | false>>;

/**
 * @param rules - what to change of a run that has something without which the engine would train for something else
 * @throws MarbleError `export/no-counterpart` for the first that it has
 */
export function refuse({ engine }: Pick<Mapped, 'engine'>, rules: Rules): void {
  for (const [what, nextStep] of Object.entries(rules)) {
    if (nextStep === false) continue;
    throw new MarbleError(
      'export/no-counterpart',
      `${what} has no counterpart in ${engineNames[engine]}, and without it the run would train for something else.`,
      nextStep,
    );
  }
}

/** What is undefined is left to the engine. */
export function set(mapped: Mapped, settings: Record<string, SettingValue | undefined>): void {
  for (const [name, value] of Object.entries(settings))
    if (value !== undefined) mapped.settings.set(name, value);
}

/** @param rules - what happens instead of something that the run has and the engine does not do, or does otherwise */
export function lose(mapped: Mapped, rules: Rules): void {
  for (const [what, instead] of Object.entries(rules))
    if (instead !== false) mapped.lost.push({ what, instead });
}

/** Optimiser steps for each batch of rollouts. */
export function updatesPerStep({ optimizer }: RunConfig): number {
  return optimizer.passes * optimizer.miniBatches;
}

/**
 * Rollouts that run through the model at once: the run's own number, or the next smaller one that divides `whole`.
 */
export function microBatchWithin(config: RunConfig, whole: number): number {
  const wished = config.optimizer.microBatch === 0 ? whole : Math.min(config.optimizer.microBatch, whole);
  let size = wished;
  while (whole % size !== 0) size -= 1;
  return size;
}

/** What is lost or refused of every run, whichever engine trains it. */
export function loseEverywhere(mapped: Mapped): void {
  const { config, algorithm } = mapped;
  const { evaluation, rollout, optimizer } = config;
  const dataset = importedId(config.data.source);
  const rollouts = rollout.promptsPerStep * rollout.samplesPerPrompt;
  lose(mapped, {
    seed: 'fixes the order of the prompts and the start of a fresh adapter; every draw is the engine’s own, so samples differ',
    'early warning, alerts, verdict': 'not made there; open the log in Marble for curves',
    'data.source':
      dataset !== null &&
      `the questions of ${dataset} are in the parquet files, and nothing else of it; link.txt names it and holds none of it, so its file must be at hand where completions are to be scored again`,
    'evaluation.imported':
      (evaluation.imported ?? []).length > 0 && 'imported data sets that are only evaluated stay in Marble',
    'evaluation.patience': evaluation.patience > 0 && 'the run does not end early',
    'evaluation.validationItems':
      (evaluation.validationItems ?? 0) > 0 &&
      'no best checkpoint is chosen; val.parquet is the reported set alone',
    evaluation:
      'val.parquet has the items of the training orders; held-out orders and other tasks stay in Marble',
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
      'Train the warm start alone, save it, and export a run that begins with the saved weights.',
    [`The reward function “${config.reward.custom}”`]:
      config.reward.custom !== undefined && 'Train it in Marble, or export a run with a reward preset.',
    [`Imitation of gold completions (${config.method})`]:
      config.method !== 'rl' &&
      'Choose a preset that trains by reward: the engines have trainers of their own for imitation.',
  });
}
