/** The configuration that the form holds, which the next run will have. */
import type { RunConfig } from '../../run/config/config';
import { differences } from '../../share/fields';

/** What is wrong with a field's text, by its path; while there is anything, no run begins. */
export type Faults = ReadonlyMap<string, string>;

export function sameConfig(one: RunConfig, other: RunConfig): boolean {
  // A setting that may be left out is missing on one side only.
  return differences(one, other).size === 0 && differences(other, one).size === 0;
}

/**
 * The same settings under a seed that has not been run: the same seed again would give the same run.
 *
 * @param known the configurations of the kept runs
 */
export function withAnotherSeed(config: RunConfig, known: readonly RunConfig[]): RunConfig {
  let next = { ...config, seed: config.seed + 1 };
  while (known.some((run) => sameConfig(run, next))) next = { ...next, seed: next.seed + 1 };
  return next;
}
