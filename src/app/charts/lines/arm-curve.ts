/** The curves of several runs of one arm as one: their mean at each step, and how far they lie apart. */
import type { RunConfig } from '../../../run/config/config';
import { deviation, mean } from '../../../base/statistics';
import { differingSettings } from '../../../share/differing';
import type { Curve } from './curve';

/**
 * What sets each run's arm apart; null where no settings say so. Runs that differ by their seeds alone are one arm, and
 * those of another program lie beside Marble's, not among them.
 */
export function armNames(
  runs: readonly { arm?: string; config?: RunConfig; program?: string | null }[],
): string[] | null {
  const configs = runs.flatMap(({ arm, config }) =>
    arm === undefined && config !== undefined ? [config] : [],
  );
  if (configs.length < runs.length) return null;
  return differingSettings(configs).arms.map((arm, index) =>
    [arm, runs[index].program ?? ''].filter((part) => part !== '').join(', '),
  );
}

export interface ArmCurve {
  /** Ascending: every step at which a run has a value. */
  steps: number[];
  mean: number[];
  /** One standard deviation (Bessel's) below the mean and above it; the mean itself where one run has a value. */
  low: number[];
  high: number[];
}

/** Runs that have not come so far, or were not asked at that step, do not count there. */
export function armCurve(curves: readonly Curve[]): ArmCurve {
  const at = new Map<number, number[]>();
  for (const { steps, values } of curves) {
    steps.forEach((step, index) => {
      const value = values[index] ?? null;
      if (value === null) return;
      const found = at.get(step);
      if (found === undefined) at.set(step, [value]);
      else found.push(value);
    });
  }
  const steps = [...at.keys()].sort((a, b) => a - b);
  const means = steps.map((step) => mean(at.get(step)!));
  const spread = steps.map((step) => deviation(at.get(step)!));
  return {
    steps,
    mean: means,
    low: means.map((value, index) => value - spread[index]),
    high: means.map((value, index) => value + spread[index]),
  };
}
