/**
 * The forecast that was frozen before the runs: P(loses its reasoning) from d, the start's sampled reward of the full trace
 * minus that of the empty one.
 */
import type { Random } from '../../../src/random';
import { intervalOf, resampleRuns, type Interval } from '../bootstrap';
import {
  areaUnderCurve,
  brierSkill,
  reliability,
  type Forecast,
  type ReliabilityBin,
} from '../forecast-score';
import { sigmoid } from '../logistic';
import { byStart, madeOf, progressOf, SEED, type JudgedRun, type Progress, type Study } from '../study';
import { rewardGap } from './mediation';

const BINS = 5;

/** The frozen coefficients. */
export function forecastOf(gap: number): number {
  return sigmoid(1.512 - 1.081 * gap);
}

export interface ForecastScore {
  name: string;
  runs: number;
  /** Fraction that lost their reasoning. */
  base: number;
  skill: Interval;
  auc: Interval;
}

export interface BinWithInterval extends ReliabilityBin {
  /** Of the observed fraction. */
  interval: Interval;
}

export interface ForecastReport {
  progress: Progress;
  /** What is judged: `logic-rl` reward, think block, RL, reasoning to lose. */
  runs: JudgedRun[];
  /** Made, but without reasoning to lose. */
  withoutReasoning: number;
  score: ForecastScore | null;
  /** The same under the other readings of the rule. */
  variants: ForecastScore[];
  bins: BinWithInterval[];
}

export function forecastReport(study: Study): ForecastReport {
  const rewarded = study.planned.filter(
    ({ config, thinkShut }) => config.reward.preset === 'logic-rl' && !thinkShut,
  );
  const trained = rewarded.filter(({ config }) => config.method === 'rl');
  const made = madeOf(study, trained);
  const runs = made.filter(({ reasoned }) => reasoned);
  const { draws } = study.items;
  const score = (name: string, of: readonly JudgedRun[]): ForecastScore[] =>
    of.length === 0 ? [] : [scoreOf(name, of, draws)];
  const withControl = madeOf(study, rewarded).filter(({ reasoned }) => reasoned);
  return {
    progress: progressOf(study, trained),
    runs,
    withoutReasoning: made.length - runs.length,
    score: score('RL runs with reasoning to lose', runs)[0] ?? null,
    variants: [
      ...score('with the runs that had none to lose, as not losing it', made),
      ...score('with the SFT control', withControl),
    ],
    bins: runs.length === 0 ? [] : binsOf(runs, draws),
  };
}

function forecasts(runs: readonly JudgedRun[]): Forecast[] {
  return runs.map((run) => ({ probability: forecastOf(rewardGap(run)), outcome: run.loses }));
}

function scoreOf(name: string, runs: readonly JudgedRun[], draws: number): ForecastScore {
  const starts = byStart(runs);
  const interval = (figure: (of: readonly Forecast[]) => number): Interval =>
    intervalOf(
      figure(forecasts(runs)),
      resampleRuns(draws, SEED, (random) => figure(forecasts(drawClusters(starts, random)))),
    );
  const base = runs.filter(({ loses }) => loses).length / runs.length;
  return { name, runs: runs.length, base, skill: interval(brierSkill), auc: interval(areaUnderCurve) };
}

function binsOf(runs: readonly JudgedRun[], draws: number): BinWithInterval[] {
  const starts = byStart(runs);
  const drawn: ReliabilityBin[][] = [];
  resampleRuns(draws, SEED, (random) =>
    drawn.push(reliability(forecasts(drawClusters(starts, random)), BINS)),
  );
  return reliability(forecasts(runs), BINS).map((bin, index) => ({
    ...bin,
    interval: intervalOf(
      bin.observed,
      drawn.map((bins) => bins[index].observed),
    ),
  }));
}

/** Whole starts, with all their runs. */
function drawClusters(starts: JudgedRun[][], random: Random): JudgedRun[] {
  return starts.flatMap(() => random.choice(starts));
}
