/** What the trainer carries from step to step besides the policy; plain JSON, whole in every checkpoint. */
import { MarbleError } from '../error';
import { newAlertState, type AlertState } from '../run/alerts';
import type { Policy } from '../model/policy';
import type { RunConfig } from '../run/config';
import type { ItemSource } from './data';
import type { EntropyControl } from './entropy-target';
import type { Checkpoint } from '../run/events';
import type { EvalReport } from '../run/evaluation';
import type { Ending } from '../run/ending';

export interface TrainerState {
  /** Index of the next training item. */
  cursor: number;
  /** Prompt and response tokens seen. */
  numTokens: number;
  /** Where an adaptive KL has arrived. */
  klCoefficient: number;
  /** Where an entropy coefficient with a target has arrived. */
  entropy: EntropyControl;
  /** Steps done at the last evaluation; -1 before the first. */
  evaluatedStep: number;
  /** The evaluation of step 0, which the verdict is against. */
  baseline: EvalReport | null;
  /** What the look before said, for an ending must hold twice in a row. */
  lastEnding: Ending | null;
  /** On the validation set, or on the evaluation set where there is none; step 0 included. */
  bestAccuracy: number;
  evaluationsSinceBest: number;
  alerts: AlertState;
}

/** All that a step of a run needs. */
export interface Run {
  policy: Policy;
  config: RunConfig;
  source: ItemSource;
  /** Changed by every step. */
  state: TrainerState;
}

export function newTrainerState(config: RunConfig): TrainerState {
  return {
    cursor: 0,
    numTokens: 0,
    klCoefficient: config.algorithm.kl.coefficient,
    entropy: startOfEntropy(config),
    evaluatedStep: -1,
    baseline: null,
    lastEnding: null,
    bestAccuracy: 0,
    evaluationsSinceBest: 0,
    alerts: newAlertState(),
  };
}

function startOfEntropy({ algorithm }: RunConfig): EntropyControl {
  return { coefficient: algorithm.entropyCoefficient, last: null };
}

/**
 * The state in a checkpoint, its own copy.
 *
 * @throws MarbleError `rl/checkpoint-version`, `rl/other-configuration`
 */
export function readTrainerState(checkpoint: Checkpoint, config: RunConfig): TrainerState {
  if ((checkpoint.version as number) !== 1) {
    throw new MarbleError(
      'rl/checkpoint-version',
      `The checkpoint has version ${checkpoint.version}; this Marble reads version 1.`,
      'Reload the page to get the newest Marble, or start the run again.',
    );
  }
  if (canonical(checkpoint.config) !== canonical(config)) {
    throw new MarbleError(
      'rl/other-configuration',
      `The checkpoint of step ${checkpoint.step} belongs to a run with another configuration.`,
      'Resume with the configuration inside the checkpoint, or start a new run.',
    );
  }
  // Checkpoints of earlier builds do not say these: theirs were taken after the evaluation, and steered no entropy.
  const before = { evaluatedStep: checkpoint.step, lastEnding: null, entropy: startOfEntropy(config) };
  const trainer = { ...before, ...checkpoint.trainer };
  return structuredClone(trainer) as unknown as TrainerState;
}

/** JSON with sorted keys: the same for equal configurations, however they were put together. */
function canonical(config: RunConfig): string {
  return JSON.stringify(config, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
