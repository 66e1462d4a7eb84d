/**
 * What is made beforehand of an embedded model and shipped beside its weights. Its evaluation at step 0: of the same weights,
 * items and backend it is the same to the last bit, and a run takes its first step that much sooner. And the weights that its
 * preset's run ends with, which a visitor can question before any run.
 */
import type { RunConfig } from '../../src/run/config/config';
import type { EvalReport } from '../../src/run/record/evaluation';

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

/** `public/models/<name>/trained/run.json`: of the weights that a preset's run has ended with, beside those it began with. */
export interface TrainedCopy {
  /** `decidesTraining` of the run's configuration. */
  of: string;
  step: number;
}

/** All of a configuration that the weights at its end depend on, as text. */
export function decidesTraining(config: RunConfig): string {
  const { seed, method, algorithm, optimizer, steps, warmStart } = config;
  const decided = [decidesEvaluation(config), seed, method, algorithm, optimizer, steps];
  return JSON.stringify(warmStart === undefined ? decided : [...decided, warmStart]);
}

/** What stands beside an embedded model's weights; null where none is shipped, or of another run. */
async function shippedOf<T extends { of: string }>(url: URL, of: string): Promise<T | null> {
  try {
    const found = (await (await fetch(url)).json()) as T;
    return found.of === of ? found : null;
  } catch {
    return null; // a run does without it
  }
}

/** The name of a model that has such files; null for any other. */
const nameOf = ({ model }: RunConfig): string | null =>
  model.kind === 'embedded' && model.name.startsWith('ladder-') ? model.name : null;

/** @returns the folder of the weights and the step that they are of; null where none are shipped of this run */
export async function findTrainedCopy(
  config: RunConfig,
  base: string,
): Promise<{ url: string; step: number } | null> {
  const name = nameOf(config);
  if (name === null) return null;
  const folder = new URL(`models/${name}/trained/`, base);
  const copy = await shippedOf<TrainedCopy>(new URL('run.json', folder), decidesTraining(config));
  return copy && { url: folder.href, step: copy.step };
}

/** @returns undefined where there is none for this run, which then makes it by itself */
export async function fetchFirstEvaluation(
  config: RunConfig,
  backend: string,
  base: string,
): Promise<EvalReport | undefined> {
  const name = nameOf(config);
  if (backend !== 'wasm' || name === null) return undefined;
  const url = new URL(`models/${name}/evaluation.json`, base);
  return (await shippedOf<FirstEvaluation>(url, decidesEvaluation(config)))?.report;
}
