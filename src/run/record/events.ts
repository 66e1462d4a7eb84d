/**
 * Events of the trainer. The worker forwards them, the store saves them, the page draws them, and a run file contains
 * them. Record types are inferred from their schemas.
 */
import * as v from 'valibot';
import type { ErrorReport } from '../../base/error';
import type { PolicyState } from '../../model/policy';
import type { RunConfig } from '../config/config';
import type { EvalReport, Verdict } from './evaluation';
import { metric, name, step, text } from './record-fields';
import type { Rollout } from './rollout-record';

/** Training step as a flat record of numbers, with TRL's metric names (`reward`, `completions/mean_length`, …). */
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

/** Complete state for a bit-exact resume. Writes are atomic. */
export interface Checkpoint {
  version: 1;
  config: RunConfig;
  /** Number of completed steps. */
  step: number;
  policy: PolicyState;
  /** Remaining trainer state (`rl/trainer-state.ts`), as plain JSON. */
  trainer: Record<string, unknown>;
}

export type TrainerPhase = 'compile' | 'rollout' | 'reward' | 'reference' | 'update' | 'evaluate';

export type TrainerEvent =
  | {
      type: 'progress';
      phase: TrainerPhase;
      step: number;
      /** Completed fraction of the phase, 0 to 1. */
      fraction: number;
      /** Progress in countable units: compiled kernels, or finished answers of a step. */
      count?: { done: number; total: number };
    }
  | { type: 'step'; record: StepRecord }
  | { type: 'rollouts'; step: number; rollouts: Rollout[] }
  | {
      type: 'eval';
      report: EvalReport;
      /** Comparison with step 0 or the end of a warm start. Absent up to that step. */
      verdict?: Verdict;
    }
  | { type: 'checkpoint'; checkpoint: Checkpoint }
  | { type: 'alert'; alert: Alert }
  | { type: 'lost'; error: ErrorReport }
  | { type: 'done'; step: number }
  | { type: 'failed'; error: ErrorReport };
