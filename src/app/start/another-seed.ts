/** The same settings under a seed that has not been run: the same seed again would give the same run. */
import type { RunConfig } from '../../run/config';
import { sameConfig } from '../settings/draft';

/** @param known the configurations of the kept runs */
export function withAnotherSeed(config: RunConfig, known: readonly RunConfig[]): RunConfig {
  let next = { ...config, seed: config.seed + 1 };
  while (known.some((run) => sameConfig(run, next))) next = { ...next, seed: next.seed + 1 };
  return next;
}
