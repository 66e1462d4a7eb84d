/**
 * Precomputed files shipped with an embedded model.
 *
 * - The evaluation at step 0. With the same weights, items and backend it is bitwise reproducible, so a run can skip
 *   it and take its first step sooner.
 * - The final weights of the preset's run, which a visitor can question before any run.
 */
import { fetchInTime } from '../../src/base/fetch-in-time';
import type { RunConfig } from '../../src/run/config/config';
import type { EvalReport } from '../../src/run/record/evaluation';
import { withSortedNames } from '../../src/store/record-hash';

/** `public/models/<name>/evaluation.json`. */
export interface FirstEvaluation {
  /** `decidesEvaluation` of the configuration that it was computed with. */
  of: string;
  /** The only backend with the same bits on every machine. */
  backend: 'wasm';
  report: EvalReport;
}

/** Serializes all settings that affect the evaluation of an embedded model. A setting added to a group counts too. */
export function decidesEvaluation({ model, training, data, reward, rollout, evaluation }: RunConfig): string {
  const { temperature, maxNewTokens, promptsPerStep: _, samplesPerPrompt: __, ...prompt } = rollout;
  const { every: ___, ...asked } = evaluation;
  const decided = [model, training, data, reward, temperature, maxNewTokens, asked];
  return JSON.stringify(Object.keys(prompt).length === 0 ? decided : [...decided, prompt]);
}

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

/** Fetches a file shipped with an embedded model. Null if none is shipped or it belongs to another run. */
async function shippedOf<T extends { of: string }>(
  url: URL,
  of: string,
  signal: AbortSignal,
): Promise<T | null> {
  try {
    const found = await fetchInTime(url, (response) => response.json() as Promise<T>, signal);
    return found.of === of ? found : null;
  } catch {
    return null; // the file is optional
  }
}

/** Returns the name of a model with such files, else null. */
const nameOf = ({ model }: RunConfig): string | null =>
  model.kind === 'embedded' && model.name.startsWith('ladder-') ? model.name : null;

/** @returns the folder and the step of the weights; null if none are shipped for this run */
export async function findTrainedCopy(
  config: RunConfig,
  base: string,
  signal: AbortSignal,
): Promise<{ url: string; step: number } | null> {
  const name = nameOf(config);
  if (name === null) return null;
  const folder = new URL(`models/${name}/trained/`, base);
  const copy = await shippedOf<TrainedCopy>(new URL('run.json', folder), decidesTraining(config), signal);
  return copy && { url: folder.href, step: copy.step };
}

/** @returns undefined if no evaluation ships for this run */
export async function fetchFirstEvaluation(
  config: RunConfig,
  backend: string,
  base: string,
  signal: AbortSignal,
): Promise<EvalReport | undefined> {
  const name = nameOf(config);
  if (backend !== 'wasm' || name === null) return undefined;
  const url = new URL(`models/${name}/evaluation.json`, base);
  return (await shippedOf<FirstEvaluation>(url, decidesEvaluation(config), signal))?.report;
}
