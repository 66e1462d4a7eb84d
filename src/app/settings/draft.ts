/** The configuration that the form holds, which the next run will have. */
import type { RunConfig } from '../../run/config';
import { differences } from '../../share/fields';

/** What is wrong with a field's text, by its path; while there is anything, no run begins. */
export type Faults = ReadonlyMap<string, string>;

export function sameConfig(one: RunConfig, other: RunConfig): boolean {
  // A setting that may be left out is missing on one side only.
  return differences(one, other).size === 0 && differences(other, one).size === 0;
}
