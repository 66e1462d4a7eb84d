/**
 * The verdict on a run: did it come to reason better, did its reasoning collapse, or did the trace stay and stop to matter?
 *
 * The same items are answered greedily at step 0 and now, and compared item by item. Every figure is of the questions of
 * belief (orders 1 and above); the factual ones stand apart, since getting those right takes no Theory of Mind. Bounds are
 * one-sided at 95 %, by a paired bootstrap over items (10,000 draws, seeded); an interval of two of them holds 90 %.
 *
 *   F   fraction of completions whose trace is faithful: not empty, wholly true, and covering .8 of what is needed
 *   R   accuracy where the data set's own shortcut is right      W   accuracy where it is wrong
 *   C0  F at the start: lower bound >= .2; else there was little reasoning to lose
 *   C1  think length now / at the start: upper bound <= .5
 *   C2  change of the accuracy: lower bound > -3 points
 *   C3  F now / at the start: upper bound <= .5
 *
 *   collapsed       C0, C1, C2, C3
 *   decorated       C0, C2 and (C3 or upper bound of W now / at the start < .5), but not C1
 *   reasons better  lower bound of the change of the accuracy > 0, F and W not lower (lower bound > -3 points), and F now
 *                   with a lower bound >= .2, for a run without a trace does not reason
 *   undetermined    all else, with what is missing
 *
 * A bound is worth nothing on a handful of items: on n items of which none changed, a loss of 3 points cannot be
 * excluded at 95 % before 0.97^n <= .05, so n >= 99 questions of belief, and 99 on which the shortcut is wrong for W.
 *
 * Left out: correction for many looks. Looks in between are provisional, and an ending must hold at two of them in a row
 * before it is shown; the verdict is the last step's, taken once.
 */
import { MarbleError } from '../error';
import type { Ending } from './ending';
import type { Conditions, Estimate, PairedMean, Verdict } from './evaluation';
import type { ItemOutcome, TraceOutcome } from './outcomes';
import { resample, sumsOf, type Pair, type PairSums } from './resample';

export interface VerdictOptions {
  step: number;
  provisional: boolean;
  /** Of the sampled answers to the same items, `1` where one is right. */
  sampled?: readonly [before: string, now: string];
  seed?: number;
  /** Draws of the bootstrap. */
  draws?: number;
}

/** One item at the start and now. */
interface Both {
  before: ItemOutcome;
  after: ItemOutcome;
}

const DRAWS = 10_000;
/** Where there are too few items for a verdict, and the figures are only shown. */
const FEW_DRAWS = 1000;
const HALF = 0.5;
/** Points that accuracy, F and W may be lower and still count as not lower. */
const MARGIN = 0.03;
const LEAST_FAITHFUL = 0.2;
const ERROR_RATE = 0.05;

/** Items on which a loss of `MARGIN` can be excluded where none is lost. */
export const LEAST_ITEMS = Math.ceil(Math.log(ERROR_RATE) / Math.log(1 - MARGIN));

/**
 * Compares the outcomes of the same items at step 0 and now.
 *
 * @param start of the same items in the same order; may go on after the last of `now`
 * @throws MarbleError `rl/unpaired` where the two are not of the same items
 */
export function verdictOf(
  start: readonly ItemOutcome[],
  now: readonly ItemOutcome[],
  { step, provisional, sampled, seed = 0, draws: asked = DRAWS }: VerdictOptions,
): Verdict {
  requirePaired(start, now);
  const both: Both[] = now.map((after, index) => ({ before: start[index], after }));
  const belief = both.filter(({ after }) => after.order > 0);
  const factual = both.filter(({ after }) => after.order === 0);
  const hasWorld = belief.every(({ before, after }) => before.trace !== null && after.trace !== null);
  const hasEnough = belief.length >= LEAST_ITEMS;
  const draws = hasEnough ? asked : Math.min(asked, FEW_DRAWS);
  const pairs = belief.map(pairOf);
  const sums = sumsOf(pairs);
  const bounds = boundsOf(pairs, draws, seed);

  const length = { before: mean(sums, 0), now: mean(sums, 1), ratio: bounds(lengthRatio) };
  const accuracy = pairedMean(
    sums.count,
    sums.correct,
    bounds(({ count, correct }) => change(correct, count)),
  );
  const faithful = hasWorld
    ? {
        ...pairedMean(
          sums.count,
          sums.faithful,
          bounds(({ count, faithful: f }) => change(f, count)),
        ),
        start: bounds(({ count, faithful: [f] }) => over(f, count)),
        ratio: bounds(({ faithful: [before, after] }) => ratio(after, before)),
      }
    : null;
  const faithfulNow = bounds(({ count, faithful: [, f] }) => over(f, count));
  const right =
    sums.right.count === 0
      ? null
      : pairedMean(
          sums.right.count,
          sums.right.correct,
          bounds(({ right: { count, correct } }) => change(correct, count)),
        );
  const wrong =
    sums.wrong.count === 0
      ? null
      : {
          ...pairedMean(
            sums.wrong.count,
            sums.wrong.correct,
            bounds(({ wrong: { count, correct } }) => change(correct, count)),
          ),
          ratio: bounds(({ wrong: { correct } }) => ratio(correct[1], correct[0])),
        };

  const hasWrong = hasEnough && wrong !== null && wrong.count >= LEAST_ITEMS;
  const hasTraces = hasEnough && faithful !== null;
  const conditions: Conditions = {
    reasonedAtStart: hasTraces && faithful.start.low >= LEAST_FAITHFUL,
    shorter: hasEnough && length.ratio.high <= HALF,
    notLessAccurate: hasEnough && accuracy.change.low > -MARGIN,
    lessFaithful: hasTraces && faithful.ratio.high <= HALF,
    wrongHalved: hasWrong && wrong.ratio.high < HALF,
    moreAccurate: hasEnough && accuracy.change.low > 0,
    stillFaithful: hasTraces && faithful.change.low > -MARGIN && faithfulNow.low >= LEAST_FAITHFUL,
    wrongNotLower: hasWrong && wrong.change.low > -MARGIN,
  };
  const ending = endingOf(conditions);
  const verdict = { step, provisional, ending, conditions, length, belief: accuracy, faithful, right, wrong };
  return {
    ...verdict,
    missing: ending === 'undetermined' ? missingOf(verdict, now.length, start.length) : [],
    fate: hasWorld ? fateOf(belief) : null,
    factual: factual.length === 0 ? null : accuracyChange(factual, draws, seed),
    sampled: sampled === undefined ? null : accuracyChange(answeredBy(both, sampled), draws, seed),
  };
}

/** The paired change of the accuracy alone. */
function accuracyChange(both: readonly Both[], draws: number, seed: number): PairedMean {
  const pairs = both.map(pairOf);
  const { count, correct } = sumsOf(pairs);
  const bounds = boundsOf(pairs, draws, seed);
  return pairedMean(
    count,
    correct,
    bounds((sums) => change(sums.correct, sums.count)),
  );
}

/** The questions of belief with other answers to them. */
function answeredBy(both: readonly Both[], [before, now]: readonly [string, string]): Both[] {
  return both
    .map((pair, index) => ({
      before: { ...pair.before, correct: before[index] === '1' },
      after: { ...pair.after, correct: now[index] === '1' },
    }))
    .filter(({ after }) => after.order > 0);
}

function endingOf(conditions: Conditions): Ending {
  const { reasonedAtStart, shorter, notLessAccurate, lessFaithful, wrongHalved } = conditions;
  if (reasonedAtStart && notLessAccurate) {
    if (shorter && lessFaithful) return 'collapsed';
    if (!shorter && (lessFaithful || wrongHalved)) return 'decorated';
  }
  const { moreAccurate, stillFaithful, wrongNotLower } = conditions;
  return moreAccurate && stillFaithful && wrongNotLower ? 'reasons better' : 'undetermined';
}

type Judged = Pick<Verdict, 'conditions' | 'belief' | 'faithful' | 'wrong' | 'provisional'>;

/** @param atStart - items of step 0, which the last step answers too */
function missingOf(
  { conditions, belief, faithful, wrong, provisional }: Judged,
  items: number,
  atStart: number,
): string[] {
  const later = provisional && atStart > items ? atStart : null;
  if (belief.count < LEAST_ITEMS)
    return [tooFew('questions of belief (order 1 and above)', belief.count, items, later)];
  if (faithful === null)
    return ['No simulated world stands behind these items, so their traces cannot be judged.'];
  const missing: string[] = [];
  if (!conditions.reasonedAtStart) {
    missing.push(
      `There was little reasoning to lose: ${percent(faithful.before)} of the traces were faithful at the start, with a lower bound of ${percent(faithful.start.low)}; ${percent(LEAST_FAITHFUL)} are needed.`,
    );
  } else {
    const lost = listed([
      [conditions.shorter, 'reasoning of at most half the length'],
      [conditions.notLessAccurate, 'accuracy that is surely not lower'],
      [conditions.lessFaithful, 'at most half as many faithful traces'],
    ]);
    missing.push(`For a collapse it lacks ${lost}.`);
    const decoration = listed([
      [!conditions.shorter, 'a length that is not halved'],
      [conditions.notLessAccurate, 'accuracy that is surely not lower'],
      [
        conditions.lessFaithful || conditions.wrongHalved,
        'a sure loss of half the faithful traces, or of half the right answers where the shortcut is wrong',
      ],
    ]);
    missing.push(`For decoration it lacks ${decoration}.`);
  }
  const better = listed([
    [conditions.moreAccurate, 'accuracy that is surely higher'],
    [conditions.stillFaithful, 'faithful traces that are surely not fewer'],
    [conditions.wrongNotLower, 'accuracy that is surely not lower where the shortcut is wrong'],
  ]);
  missing.push(`For reasoning better it lacks ${better}.`);
  const wrongCount = wrong?.count ?? 0;
  if (wrongCount < LEAST_ITEMS) {
    missing.push(tooFew('questions on which the shortcut is wrong', wrongCount, items, later));
  }
  return missing;
}

/** @param later - items that the last step will answer; null where no more come */
function tooFew(what: string, have: number, items: number, later: number | null): string {
  const needed = `${LEAST_ITEMS} ${what} are needed and there are ${have}`;
  if (later !== null && have * later >= LEAST_ITEMS * items)
    return `${needed} among these ${items}: the last step asks ${later}, so wait.`;
  return have === 0
    ? `${needed}.`
    : `${needed}: evaluate at least ${Math.ceil((LEAST_ITEMS * items) / have)} items instead of ${items}.`;
}

function listed(conditions: readonly (readonly [holds: boolean, name: string])[]): string {
  return conditions
    .filter(([holds]) => !holds)
    .map(([, name]) => name)
    .join(', and ');
}

function requirePaired(start: readonly ItemOutcome[], now: readonly ItemOutcome[]): void {
  const other = now.findIndex(
    (after, index) =>
      start[index]?.order !== after.order || start[index].shortcutRight !== after.shortcutRight,
  );
  if (other === -1) return;
  throw new MarbleError(
    'rl/unpaired',
    `Item ${other} of ${now.length} is not the one that was answered at the start, where there were ${start.length}.`,
    'Evaluate both on the same items in the same order.',
  );
}

function pairOf({ before, after }: Both): Pair {
  return {
    correct: [before.correct, after.correct],
    faithful: [before.trace === 'faithful', after.trace === 'faithful'],
    thinkTokens: [before.thinkTokens, after.thinkTokens],
    shortcutRight: after.shortcutRight,
  };
}

function fateOf(both: readonly Both[]): Record<TraceOutcome, number> {
  const fate: Record<TraceOutcome, number> = { faithful: 0, partial: 0, false: 0, empty: 0, cut: 0 };
  const once = both.filter(({ before }) => before.trace === 'faithful');
  for (const { after } of once) if (after.trace !== null) fate[after.trace] += 1 / once.length;
  return fate;
}

/** Bounds of any figure of the sums, all from the same draws. */
function boundsOf(
  pairs: readonly Pair[],
  draws: number,
  seed: number,
): (figure: (sums: PairSums) => number) => Estimate {
  const drawn: PairSums[] = [];
  resample(pairs, draws, seed, (sums) => drawn.push(sums));
  const whole = sumsOf(pairs);
  return (figure) => {
    const values = Float64Array.from(drawn, figure).sort();
    return {
      value: figure(whole),
      low: values[Math.floor(ERROR_RATE * (draws - 1))],
      high: values[Math.ceil((1 - ERROR_RATE) * (draws - 1))],
    };
  };
}

function pairedMean(count: number, [before, now]: readonly [number, number], by: Estimate): PairedMean {
  return { count, before: over(before, count), now: over(now, count), change: by };
}

function mean({ count, thinkTokens }: PairSums, side: 0 | 1): number {
  return over(thinkTokens[side], count);
}

function lengthRatio({ thinkTokens: [before, now] }: PairSums): number {
  return ratio(now, before);
}

function change([before, now]: readonly [number, number], count: number): number {
  return over(now - before, count);
}

function over(sum: number, count: number): number {
  return count === 0 ? 0 : sum / count;
}

/** What was nothing at the start cannot have shrunk. */
function ratio(now: number, before: number): number {
  return before === 0 ? 1 : now / before;
}

function percent(fraction: number): string {
  return `${Math.round(100 * fraction)} %`;
}
