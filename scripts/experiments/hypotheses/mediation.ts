/**
 * H3: once d, the start's sampled reward of the full trace minus that of the empty one, is known, size adds nothing. Two
 * logistic regressions of losing, on d and on d and log size, each predict the runs of one start from all others'.
 */
import { intervalOf, resampleRuns, type Interval } from '../bootstrap';
import { fitLogistic, logLoss, predict } from '../logistic';
import { byStart, madeOf, progressOf, SEED, type JudgedRun, type Study } from '../study';
import type { Size } from '../plan';
import type { Finding } from './finding';
import { sizeRuns } from './size';

const RIDGE = 0.1;
const parameters: Record<Size, number> = { '25k': 25e3, '100k': 100e3, '398k': 398e3 };

export interface Mediation extends Finding {
  /** The runs of H2 that had reasoning to lose. */
  runs: JudgedRun[];
  /** Mean log loss in nats on the held-out starts; null with fewer than two starts. */
  loss: { reward: number; rewardAndSize: number } | null;
  /** Loss on d minus loss on d and log size: above 0 where size helps. */
  gain: Interval | null;
}

/** Full minus empty, sampled reward. */
export function rewardGap({ line }: JudgedRun): number {
  return line.forecast === null ? NaN : line.forecast.full - line.forecast.empty;
}

export function mediation(study: Study): Mediation {
  const wanted = sizeRuns(study);
  const progress = progressOf(study, wanted);
  const runs = madeOf(study, wanted).filter(({ reasoned, line }) => reasoned && line.forecast !== null);
  const starts = byStart(runs);
  if (starts.length < 2) return { progress, runs, loss: null, gain: null, holds: null, p: null };
  const losses = starts.map((heldOut) => {
    const others = runs.filter((run) => !heldOut.includes(run));
    const reward = lossesOf(others, heldOut, (run) => [rewardGap(run)]);
    const both = lossesOf(others, heldOut, (run) => [
      rewardGap(run),
      Math.log(parameters[run.plan.start.size]),
    ]);
    return reward.map((loss, index) => ({ reward: loss, rewardAndSize: both[index] }));
  });
  const gainOf = (drawn: readonly (readonly { reward: number; rewardAndSize: number }[])[]): number =>
    meanOf(drawn.flat().map(({ reward, rewardAndSize }) => reward - rewardAndSize));
  const gain = intervalOf(
    gainOf(losses),
    resampleRuns(study.items.draws, SEED, (random) => gainOf(losses.map(() => random.choice(losses)))),
  );
  return {
    progress,
    runs,
    loss: {
      reward: meanOf(losses.flat().map(({ reward }) => reward)),
      rewardAndSize: meanOf(losses.flat().map(({ rewardAndSize }) => rewardAndSize)),
    },
    gain,
    holds: progress.complete ? !(gain.low > 0) : null,
    p: null,
  };
}

function lossesOf(
  fitted: readonly JudgedRun[],
  heldOut: readonly JudgedRun[],
  inputs: (run: JudgedRun) => number[],
): number[] {
  const fit = fitLogistic(
    fitted.map(inputs),
    fitted.map(({ loses }) => loses),
    RIDGE,
  );
  return heldOut.map((run) => logLoss(predict(fit, inputs(run)), run.loses));
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
