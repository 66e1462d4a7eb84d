/**
 * The final weights of a preset's run, shipped with its embedded model. A visitor can question them before any run.
 */
import { fetchInTime } from '../../src/base/fetch-in-time';
import type { RunConfig } from '../../src/run/config/config';
import { withSortedNames } from '../../src/store/record-hash';

/**
 * `public/models/<name>/trained/run.json`: describes the final weights of a preset's run, shipped with its initial
 * weights.
 */
export interface TrainedCopy {
  /** `decidesTraining` of the run's configuration. */
  of: string;
  step: number;
}

/** Serializes all settings that affect the final weights, with names in alphabetical order. */
export function decidesTraining(config: RunConfig): string {
  const { preset: _, checkpointEvery: __, evaluation: ___, ...decided } = config;
  return JSON.stringify(decided, withSortedNames);
}

/** @returns the folder and the step of the weights; null if none are shipped for this run */
export async function findTrainedCopy(
  config: RunConfig,
  base: string,
  signal: AbortSignal,
): Promise<{ url: string; step: number } | null> {
  const { model } = config;
  if (model.kind !== 'embedded' || !model.name.startsWith('ladder-')) return null;
  const folder = new URL(`models/${model.name}/trained/`, base);
  try {
    const url = new URL('run.json', folder);
    const copy = await fetchInTime(url, (response) => response.json() as Promise<TrainedCopy>, signal);
    return copy.of === decidesTraining(config) ? { url: folder.href, step: copy.step } : null;
  } catch {
    return null; // the file is optional
  }
}
