/**
 * What a run's settings become elsewhere: a list of settings by name, and a list of what has no counterpart. What would
 * make the objective another one is refused; what changes its course a little is named.
 */
import { MarbleError } from '../../base/error';
import type { ResolvedAlgorithm } from '../../objective/algorithm';
import type { RunConfig } from '../../run/config/config';
import { importedId } from '../../run/config/imported';

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
  settings: Map<string, SettingValue>;
  lost: Lost[];
}

const engineNames: Record<Engine, string> = { verl: 'verl', trl: 'TRL' };

/** @throws MarbleError `export/no-counterpart` always */
export function refuse({ engine }: Pick<Mapped, 'engine'>, what: string, nextStep: string): never {
  throw new MarbleError(
    'export/no-counterpart',
    `${what} has no counterpart in ${engineNames[engine]}, and without it the run would train for something else.`,
    nextStep,
  );
}

export function set(mapped: Mapped, settings: Record<string, SettingValue>): void {
  for (const [name, value] of Object.entries(settings)) mapped.settings.set(name, value);
}

export function lose(mapped: Mapped, what: string, instead: string): void {
  mapped.lost.push({ what, instead });
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

/** What is lost of every run, whichever engine trains it. */
export function loseEverywhere(mapped: Mapped): void {
  const { config, algorithm } = mapped;
  const { evaluation, rollout, optimizer } = config;
  lose(
    mapped,
    'seed',
    'fixes the order of the prompts and the start of a fresh adapter; every draw is the engine’s own, so samples differ',
  );
  lose(mapped, 'early warning, alerts, verdict', 'not made there; open the log in Marble for curves');
  const dataset = importedId(config.data.source);
  if (dataset !== null)
    lose(
      mapped,
      'data.source',
      `the questions of ${dataset} are in the parquet files, and nothing else of it; link.txt names it and holds none of it, so its file must be at hand where completions are to be scored again`,
    );
  if ((evaluation.imported ?? []).length > 0)
    lose(mapped, 'evaluation.imported', 'imported data sets that are only evaluated stay in Marble');
  if (evaluation.patience > 0) lose(mapped, 'evaluation.patience', 'the run does not end early');
  if ((evaluation.validationItems ?? 0) > 0)
    lose(
      mapped,
      'evaluation.validationItems',
      'no best checkpoint is chosen; val.parquet is the reported set alone',
    );
  lose(
    mapped,
    'evaluation',
    'val.parquet has the items of the training orders; held-out orders and other tasks stay in Marble',
  );
  if (algorithm.resampleRounds === 0 && rollout.samplesPerPrompt === 1 && algorithm.baseline !== 'none')
    refuse(mapped, 'One sample for each prompt', 'Set samplesPerPrompt to 2 or more.');
  const rollouts = rollout.promptsPerStep * rollout.samplesPerPrompt;
  if (rollouts % optimizer.miniBatches !== 0)
    refuse(mapped, `${rollouts} rollouts in ${optimizer.miniBatches} mini-batches of unequal size`, 'Choose miniBatches that divide the rollouts of a step.'); // prettier-ignore
  if (config.method !== 'rl')
    refuse(mapped, `Imitation of gold completions (${config.method})`, 'Choose a preset that trains by reward: the engines have trainers of their own for imitation.'); // prettier-ignore
}
