/** H2: with size, fewer runs lose their reasoning; 25k, 100k and 398k after the same tokens. */
import { drawRuns, intervalOf, probabilityOf, resampleRuns, type Interval } from '../bootstrap';
import type { RunPlan } from '../plan';
import { byStart, madeOf, progressOf, SEED, type Study } from '../study';
import type { Finding } from './finding';
import { losingFraction, losingGroup, type LosingGroup } from './losing';

export const LEAST_DIFFERENCE = 0.5;
export const sizes = ['25k', '100k', '398k'] as const;

export interface SizeEffect extends Finding {
  groups: LosingGroup[];
  /** Fraction of 25k minus that of 398k; null where one of them has no run. */
  difference: Interval | null;
}

export const sizeRuns = ({ planned }: Study): RunPlan[] =>
  planned.filter(({ hypotheses }) => hypotheses.includes('H2'));

export function sizeEffect(study: Study): SizeEffect {
  const wanted = sizeRuns(study);
  const progress = progressOf(study, wanted);
  const { draws } = study.items;
  const groups = sizes.map((size) =>
    losingGroup(
      size,
      madeOf(
        study,
        wanted.filter(({ start }) => start.size === size),
      ),
      draws,
    ),
  );
  const small = groups[0].reasoned;
  const large = groups[2].reasoned;
  if (small.length === 0 || large.length === 0) {
    return { progress, groups, difference: null, holds: null, p: null };
  }
  const [smallStarts, largeStarts] = [byStart(small), byStart(large)];
  const drawn = resampleRuns(
    draws,
    SEED,
    (random) => losingFraction(drawRuns(smallStarts, random)) - losingFraction(drawRuns(largeStarts, random)),
  );
  const difference = intervalOf(losingFraction(small) - losingFraction(large), drawn);
  return {
    progress,
    groups,
    difference,
    holds: progress.complete ? difference.value >= LEAST_DIFFERENCE && difference.low > 0 : null,
    p: progress.complete ? probabilityOf(drawn, (drawnDifference) => drawnDifference <= 0) : null,
  };
}
