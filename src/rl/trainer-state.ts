/**
 * The trainer's state between steps, apart from the policy. It is plain JSON, and every checkpoint stores all of it.
 */
import { MarbleError } from '../base/error';
import { newAlertState, type AlertState } from '../run/verdict/alert-rules';
import type { Policy, PolicyState } from '../model/policy';
import type { CustomReward } from '../reward/custom';
import type { RunConfig } from '../run/config/config';
import { sameConfig } from '../run/config/fields';
import { isEasy, type Item } from '../tom/item';
import { fromOutcomeTable, type ItemOutcome } from '../run/verdict/outcomes';
import type { EvalSuite, ItemSource } from './data';
import type { Checkpoint, StepRecord } from '../run/record/events';
import type { Rollout } from '../run/record/rollout-record';
import type { EvalReport, OutcomeTable } from '../run/record/evaluation';
import type { Ending } from '../run/verdict/ending';

export interface TrainerState {
  /** Index of the next training item. */
  cursor: number;
  /** Prompt and response tokens seen. */
  numTokens: number;
  /** Current value of an adaptive KL coefficient. */
  klCoefficient: number;
  /** Number of steps before the last evaluation; -1 before the first. */
  evaluatedStep: number;
  /** The evaluation that verdicts compare with: of step 0, replaced by that of the end of a warm start. */
  baseline: EvalReport | null;
  /** The ending at the previous evaluation; an ending must hold twice in a row. */
  lastEnding: Ending | null;
  alerts: AlertState;
}

/** Everything that a step of a run needs. */
export interface Run {
  policy: Policy;
  config: RunConfig;
  source: ItemSource;
  /** Replaces the total of the configuration's reward. */
  reward?: CustomReward;
  /** Each step begins with a shallow copy of it and replaces fields; nothing below them is changed in place. */
  state: TrainerState;
}

/** The result of a step, apart from the state for the next one. */
export interface StepOutcome {
  record: StepRecord;
  /** The completions for the record. */
  rollouts: Rollout[];
  /** False if loss or gradient were not finite. */
  applied: boolean;
  /** Number of updates before one that was not applied. */
  updates: number;
}

export function newTrainerState(config: RunConfig): TrainerState {
  return {
    cursor: 0,
    numTokens: 0,
    klCoefficient: config.algorithm.kl.coefficient,
    evaluatedStep: -1,
    baseline: null,
    lastEnding: null,
    alerts: newAlertState(),
  };
}

/**
 * The state in a checkpoint, its own copy.
 *
 * @throws MarbleError `rl/checkpoint-version`, `rl/other-configuration`, `rl/checkpoint-not-finite`
 */
export function readTrainerState(checkpoint: Checkpoint, config: RunConfig): TrainerState {
  if ((checkpoint.version as number) !== 1) {
    throw new MarbleError(
      'rl/checkpoint-version',
      `The checkpoint has version ${checkpoint.version}; this Marble reads version 1.`,
      'Go on with the newest version of Marble, or start the run again.',
    );
  }
  if (!sameConfig(checkpoint.config, config)) {
    throw new MarbleError(
      'rl/other-configuration',
      `The checkpoint of step ${checkpoint.step} belongs to a run with another configuration.`,
      'Resume with the configuration inside the checkpoint, or start a new run.',
    );
  }
  // Already validated by the file's schema, which accepts numbers that are not finite.
  const trainer = structuredClone(checkpoint.trainer) as unknown as TrainerState;
  const { policy } = checkpoint;
  const hasReference = policy.reference?.every(Number.isFinite) ?? true;
  if (!isFiniteState(policy) || !hasReference || !Number.isFinite(trainer.klCoefficient)) {
    throw new MarbleError(
      'rl/checkpoint-not-finite',
      `The checkpoint of step ${checkpoint.step} holds numbers that are not finite: nothing can be trained from it.`,
      'Start a new run with the same settings.',
    );
  }
  return trainer;
}

/**
 * Checks that a checkpoint's start was evaluated on the items of the run, because every verdict compares answers item
 * by item.
 *
 * @throws MarbleError `rl/other-test` if the checkpoint's evaluation of the start has other items than the run
 */
export function requireOwnTest(
  { baseline }: TrainerState,
  { items, hard }: Pick<EvalSuite, 'items' | 'hard'>,
): void {
  const isOwn = (asked: readonly Item[], table: OutcomeTable | undefined): boolean => {
    if (table === undefined) return true;
    const answered = fromOutcomeTable(table);
    return asked.every((item, index) => isSameItem(answered[index], item));
  };
  if (isOwn(items, baseline?.outcomes) && isOwn(hard, baseline?.hard)) return;
  throw new MarbleError(
    'rl/other-test',
    'At its start the run of this checkpoint was tested on other questions than its configuration asks for.',
    'Start a new run with the same settings: the two tests cannot be compared.',
  );
}

function isSameItem(answered: ItemOutcome | undefined, item: Item): boolean {
  return answered?.order === item.order && answered.easy === isEasy(item);
}

/** True if weights and moments are finite. An update with finite gradients can still overflow. */
export function isFiniteState({ parameters, moment1, moment2 }: PolicyState): boolean {
  return [parameters, moment1, moment2].every((values) => values.every(Number.isFinite));
}
