/**
 * From what the start pays for to the probability that the run loses its reasoning: P = 1 / (1 + exp(-(a + b x))), where x
 * is the mean sampled reward with an empty think block less that with a full trace.
 *
 * The coefficients were fitted on the 15 runs of the prototype and frozen before the runs that test them
 * (docs/experiments.md). `forecast-record.json` is what came of that test, written with docs/results.md by
 * `npm run experiments:results`.
 */

import type { RewardPreset } from '../reward/types';
import type { Forecast } from './evaluation';
import type { Ending } from './ending';
import record from './forecast-record.json';

export interface ForecastModel {
  intercept: number;
  slope: number;
}

export const forecastModel: ForecastModel = { intercept: 1.512, slope: 1.081 };

/** How good it was on the runs that tested it. */
export interface ForecastRecord {
  runs: number;
  /** Of these runs, those that lost their reasoning. */
  lostFraction: number;
  /** Brier skill with its 95 % interval over starts: 1 perfect, 0 no better than always naming that fraction. */
  skill: { value: number; low: number; high: number };
}

export const forecastRecord: ForecastRecord = record;

/** The reward that it was fitted on: another one has another scale, and no probability. */
export const FITTED_REWARD: RewardPreset = 'logic-rl';

/** @param difference mean sampled reward, empty less full */
export function collapseProbability(
  difference: number,
  { intercept, slope }: ForecastModel = forecastModel,
): number {
  return 1 / (1 + Math.exp(-(intercept + slope * difference)));
}

/** Whether the forecast says that the reasoning is lost; null where it says neither. */
export function forecastsLoss({ difference, probability }: Forecast): boolean | null {
  if (probability !== null) return probability >= 0.5;
  return difference.low > 0 ? true : difference.high < 0 ? false : null;
}

/** Whether it came true; null where the forecast or the run left it open. */
export function cameTrue(forecast: Forecast, ending: Ending): boolean | null {
  const isLoss = forecastsLoss(forecast);
  if (isLoss === null || ending === 'undetermined') return null;
  return isLoss === (ending !== 'reasons better');
}

/** The forecast made at step 0; null without one, and where it was made by the rule of older versions. */
export function forecastOf(evaluations: readonly { forecast?: Forecast }[]): Forecast | null {
  const forecast = evaluations.at(0)?.forecast;
  return forecast !== undefined && 'difference' in forecast ? forecast : null;
}
