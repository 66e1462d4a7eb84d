/** What a rule of docs/experiments.md says of the finished runs. */
import { holm } from '../holm';
import type { Progress } from '../study';

export interface Finding {
  progress: Progress;
  /** Whether the rule holds, before Holm's correction; null while it cannot be decided. */
  holds: boolean | null;
  /** Bootstrap probability of the claim's opposite; null while it cannot be decided, and for H3, which has none. */
  p: number | null;
}

export type State = 'stands' | 'does not stand' | 'not decided';

export interface Settled {
  state: State;
  /** By Holm over the six tests; null without a p. */
  adjusted: number | null;
}

const LEVEL = 0.05;

/** The hypotheses that share Holm's correction. */
export const corrected = ['H1', 'H1b', 'H2', 'H4', 'H5', 'H6'] as const;
export type Corrected = (typeof corrected)[number];

/** A hypothesis stands when its rule holds and its p, corrected, is at most .05. */
export function settle(findings: Record<Corrected, Finding>): Record<Corrected, Settled> {
  const adjusted = holm(corrected.map((name) => findings[name].p));
  return Object.fromEntries(
    corrected.map((name, index) => {
      const { holds, p } = findings[name];
      const stands = holds === true && p !== null && adjusted[index] <= LEVEL;
      const state: State = holds === null ? 'not decided' : stands ? 'stands' : 'does not stand';
      return [name, { state, adjusted: p === null ? null : adjusted[index] }];
    }),
  ) as Record<Corrected, Settled>;
}

/** A statement without a p, decided by its rule alone. */
export function stateOf({ holds }: Finding): State {
  return holds === null ? 'not decided' : holds ? 'stands' : 'does not stand';
}
