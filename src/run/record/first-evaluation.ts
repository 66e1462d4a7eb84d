/**
 * The evaluation of step 0 of an embedded model, made beforehand and shipped beside its weights: of the same weights, items
 * and backend it is the same to the last bit, and a run takes its first step that much sooner.
 */
import type { RunConfig } from '../config/config';
import type { EvalReport } from './evaluation';

/** `public/models/<name>/evaluation.json`. */
export interface FirstEvaluation {
  /** `decidesEvaluation` of the configuration that it was made with. */
  of: string;
  /** The only backend whose bits are the same everywhere. */
  backend: 'wasm';
  report: EvalReport;
}

/** All of a configuration that an evaluation of its embedded model depends on, as text. */
export function decidesEvaluation({ model, training, data, reward, rollout, evaluation }: RunConfig): string {
  const { temperature, maxNewTokens } = rollout;
  const { every: _, patience: __, ...asked } = evaluation;
  return JSON.stringify([model, training, data, reward, temperature, maxNewTokens, asked]);
}

/** @returns undefined where there is none for this run */
export async function fetchFirstEvaluation(
  config: RunConfig,
  backend: string,
  base: string,
): Promise<EvalReport | undefined> {
  const { model } = config;
  if (backend !== 'wasm' || model.kind !== 'embedded' || !model.name.startsWith('ladder-')) return undefined;
  try {
    const response = await fetch(new URL(`models/${model.name}/evaluation.json`, base));
    const { of, report } = (await response.json()) as FirstEvaluation;
    return of === decidesEvaluation(config) ? report : undefined;
  } catch {
    return undefined; // it is then made by the run itself
  }
}
