/**
 * What the trainer says while it runs: the worker forwards these, the store keeps them, the page draws them, and a run
 * file holds them. Each record is a schema, which its type is read off.
 */
import * as v from 'valibot';
import type { ErrorReport } from '../../base/error';
import type { PolicyState } from '../../model/policy';
import type { RunConfig } from '../config/config';
import type { EvalReport, Verdict } from './evaluation';
import { metric, name, step, text } from './record-fields';
import type { Rollout } from './rollout-record';

/** One training step as a flat record of numbers, with TRL's metric names (`reward`, `completions/mean_length`, …). */
export const stepSchema = v.objectWithRest({ step }, metric);

export type StepRecord = v.InferOutput<typeof stepSchema>;

export const alertSchema = v.object({
  step,
  code: name,
  severity: v.picklist(['info', 'warning', 'error']),
  cause: text,
  nextStep: text,
});

export type Alert = v.InferOutput<typeof alertSchema>;

/** All that a bit-exact resume needs. Written whole or not at all. */
export interface Checkpoint {
  version: 1;
  config: RunConfig;
  /** Steps completed. */
  step: number;
  policy: PolicyState;
  /** The trainer's other state (`rl/trainer-state.ts`), plain JSON. */
  trainer: Record<string, unknown>;
}

export type TrainerPhase = 'compile' | 'rollout' | 'reward' | 'reference' | 'update' | 'evaluate';

export type TrainerEvent =
  | {
      type: 'progress';
      phase: TrainerPhase;
      step: number;
      /** Of this phase, 0 to 1. */
      fraction: number;
      /** Of what there is a number of: kernels compiled. */
      count?: { done: number; total: number };
    }
  | { type: 'step'; record: StepRecord }
  | { type: 'rollouts'; step: number; rollouts: Rollout[] }
  | {
      type: 'eval';
      report: EvalReport;
      /** Against step 0 or the end of a warm start; none up to there. */
      verdict?: Verdict;
    }
  | {
      type: 'checkpoint';
      checkpoint: Checkpoint;
      /** The best accuracy so far, on the validation set or, without one, on the evaluation set. */ best?: boolean;
    }
  | { type: 'alert'; alert: Alert }
  | { type: 'lost'; error: ErrorReport }
  | { type: 'done'; step: number }
  | { type: 'failed'; error: ErrorReport };
