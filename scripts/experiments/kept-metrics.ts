/** Metrics of every training step that a line of the experiments keeps. */
import type { StepRecord } from '../../src/index';

const KEPT = [
  'reward',
  'accuracy',
  'completions/mean_length',
  'think/mean_length',
  'trace/validity',
  'kl',
  'entropy',
  'grad_norm',
] as const;

/** Adds a step to the columns. */
export function keepMetrics(columns: Record<string, number[]>, record: StepRecord): void {
  for (const name of KEPT) {
    if (name in record) (columns[name] ??= []).push(Number(record[name].toPrecision(6)));
  }
}
