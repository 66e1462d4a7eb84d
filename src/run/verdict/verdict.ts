/**
 * Computes the verdict on a run: does the model still think on questions that require thinking?
 *
 * The model answers the same items greedily at the start and now, and the answers are compared item by item. The start is
 * step 0 or the end of a warm start, because the verdict measures the effect of rewards. A shortcut answers most items
 * without thinking, so the verdict uses the items on which the shortcut is WRONG. Only belief questions count (orders 1 and
 * above), because factual ones require no Theory of Mind. Bounds are one-sided at 95 %, from a paired bootstrap over items
 * (10,000 draws, seeded). An interval between two such bounds has a coverage of 90 %.
 *
 *   W    accuracy on hard items
 *   F_W  fraction of faithful traces on them: not empty, entirely true, and covering .8 of the needed facts
 *   C0   the start had reasoning to lose: the lower bound of F_W at the start is >= .2, and that of W is above chance
 *
 *   silent     think length now / at the start: upper bound <= .5
 *   lost       W now / at the start and F_W now / at the start: both upper bounds <= .5
 *   kept       both ratios: upper bound >= .75 and lower bound > .5
 *   over half  one ratio: lower bound > .5
 *
 * The ending is the first case that holds (`ending.ts`):
 *
 *    1  stops thinking             no C0, and silent; `missing` explains why C0 does not hold
 *    2  not measured               fewer than 30 hard items, or items without a simulated world
 *    3  had little to lose         C0 surely false: at the start the upper bound of F_W is < .2, or that of W <= chance
 *    4  too close to call          no C0, otherwise: the start is near the threshold
 *    5  stops thinking             lost and silent
 *    6  goes on writing, no longer thinks              lost and not silent
 *    7  right answers, thinking no longer true         W over half, and upper bound of F_W's ratio <= .5
 *    8  thinks better              kept, and W surely higher: lower bound of its change > 0
 *    9  keeps thinking             kept, otherwise; the share is F_W now / at the start, with its interval
 *   10  thinks less                each ratio is surely on one side of .5: both are over half and one has an upper
 *                                  bound < .75, or W is halved and F_W is over half
 *   11  too close to call          otherwise: an interval contains .5
 *
 * All endings except `too close to call` and `not measured` are sure by these bounds. "Not surely lower than .75" means an
 * upper bound >= .75. With few items every ratio satisfies that, so `kept` also requires a lower bound that excludes half.
 * Therefore `kept` and `lost` exclude each other for any number of items. Shorter thinking alone does not
 * decide the verdict.
 *
 * If the fixed set has few such items, additional hard ones are drawn (`hard`). W, F_W and the length use both sets, all
 * other figures the fixed set. `not measured` and intervals that contain .5 ask for more hard questions.
 *
 * Chance is the mean over items of 1 / number of possible answers (`possibleAnswers`). If an item's number is unknown, C0
 * uses F_W alone. A bootstrap over a handful of items resamples the same few, so fewer than `LEAST_ITEMS` items give no
 * verdict. In simulation, a run that keeps exactly half is called lost in 8 of 100 cases at `LEAST_ITEMS`, and in 5 to 6 of
 * 100 cases with 100 or more hard items (`tests/run/verdict/verdict.test.ts`).
 *
 * Left out: correction for multiple comparisons. Intermediate evaluations are provisional, and an ending is shown only if two
 * consecutive ones agree. The verdict is computed once, at the last step.
 */
import { MarbleError } from '../../base/error';
import { checkKeys } from '../../base/known-keys';
import { percent } from '../../base/statistics';
import {
  isLoss,
  startWords,
  endingOf,
  HALF,
  hadLittle,
  hasReasoned,
  isHalved,
  isKept,
  LEAST_FAITHFUL,
  LEAST_ITEMS,
} from './ending';
import type { Conditions, Estimate, PairedMean, Ratio, Verdict } from '../record/evaluation';
import type { ItemOutcome } from './outcomes';
import { CORRECT, COUNT, FAITHFUL, FIXED, HARD, resample, sumsOf, TOKENS } from './resample';
import type { Pair, Sums } from './resample';

export interface VerdictOptions {
  step: number;
  provisional: boolean;
  /** Step of the start, if it is not 0. */
  against?: number;
  /** Outcomes of the additional hard items, in the same order at the start and now. */
  hard?: HardOutcomes;
  /** Sampled answers to the same items: one character per item, `1` for a right answer. */
  sampled?: readonly [before: string, now: string];
  seed?: number;
  draws?: number;
}

type HardOutcomes = readonly [start: readonly ItemOutcome[], now: readonly ItemOutcome[]];

/** One item at the start and now. */
interface Both {
  before: ItemOutcome;
  after: ItemOutcome;
}

const DRAWS = 10_000;
/** Draws if there are too few items for a verdict and the figures are only displayed. */
const FEW_DRAWS = 1000;
const ERROR_RATE = 0.05;

/**
 * Compares the outcomes of the same items at the start and now.
 *
 * @param start - outcomes of the same items in the same order; may contain more items than `now`
 * @throws MarbleError `rl/unpaired` if the items differ
 */
export function verdictOf(
  start: readonly ItemOutcome[],
  now: readonly ItemOutcome[],
  options: VerdictOptions,
): Verdict {
  const known = { step: true, provisional: true, against: true, hard: true, sampled: true, seed: true, draws: true }; // prettier-ignore
  checkKeys('verdictOf', options, known);
  const { step, provisional, against, hard = [[], []], sampled, seed = 0, draws: asked = DRAWS } = options;
  requirePaired(start, now);
  requirePaired(...hard);
  const both: Both[] = now.map((after, index) => ({ before: start[index], after }));
  const belief = both.filter(({ after }) => after.order > 0);
  const apart: Both[] = hard[1].map((after, index) => ({ before: hard[0][index], after }));
  const all = [...belief, ...apart];
  const hasWorld = all.every(({ before, after }) => before.trace !== null && after.trace !== null);
  const pairs = [...belief.map(pairOf), ...apart.map((one) => ({ ...pairOf(one), isApart: true }))];
  const draws = all.length >= LEAST_ITEMS ? asked : Math.min(asked, FEW_DRAWS);
  const { sums, bounds, paired } = bootstrap(pairs, draws, seed);
  const accuracyChange = (some: readonly Both[]): PairedMean =>
    bootstrap(some.map(pairOf), draws, seed).paired(FIXED, CORRECT);
  const hasEnough = sums[HARD + COUNT] >= LEAST_ITEMS;
  const fallible = (figure: number): Ratio => ({
    ...paired(HARD, figure),
    start: bounds((row) => over(row[HARD + figure], row[HARD + COUNT])),
    ratio: bounds((row) => ratio(row[HARD + figure + 1], row[HARD + figure])),
  });

  const length = {
    before: over(sums[TOKENS], pairs.length),
    now: over(sums[TOKENS + 1], pairs.length),
    ratio: bounds((row) => ratio(row[TOKENS + 1], row[TOKENS])),
  };
  const hasHard = sums[HARD + COUNT] > 0;
  const wrong = hasHard ? { ...fallible(CORRECT), chance: chanceOf(all) } : null;
  const faithfulWrong = hasHard && hasWorld ? fallible(FAITHFUL) : null;
  const conditions: Conditions = {
    faithfulAtStart: hasEnough && faithfulWrong !== null && faithfulWrong.start.low >= LEAST_FAITHFUL,
    aboveChance: wrong === null || wrong.chance === null ? null : hasEnough && wrong.start.low > wrong.chance,
    silent: all.length >= LEAST_ITEMS && length.ratio.high <= HALF,
    wrongHalved: hasEnough && isHalved(wrong),
    faithfulHalved: hasEnough && isHalved(faithfulWrong),
    wrongKept: hasEnough && isKept(wrong),
    faithfulKept: hasEnough && isKept(faithfulWrong),
    wrongHigher: hasEnough && wrong !== null && wrong.change.low > 0,
  };
  const ending = endingOf({ conditions, wrong, faithfulWrong });
  const isPlain = isLoss(ending) || ending === 'keeps thinking' || ending === 'thinks better';
  const verdict = {
    ...{ step, provisional, ending, conditions, length },
    ...(against !== undefined && { against }),
    belief: paired(FIXED, CORRECT),
    faithful: hasWorld && belief.length > 0 ? paired(FIXED, FAITHFUL) : null,
    ...{ wrong, faithfulWrong },
  };
  return {
    ...verdict,
    missing: isPlain && hasReasoned(conditions) ? [] : reasonsOf(verdict),
    sampled: sampled === undefined || belief.length === 0 ? null : accuracyChange(answeredBy(both, sampled)),
  };
}

/** Replaces the answers of the belief questions. */
function answeredBy(both: readonly Both[], [before, now]: readonly [string, string]): Both[] {
  return both
    .map((pair, index) => ({
      before: { ...pair.before, correct: before[index] === '1' },
      after: { ...pair.after, correct: now[index] === '1' },
    }))
    .filter(({ after }) => after.order > 0);
}

/** Accuracy of a guess on hard items; null if unknown. */
function chanceOf(belief: readonly Both[]): number | null {
  const hard = belief.filter(({ after }) => after.easy === false);
  const known = hard.flatMap(({ after: { answers } }) => (answers === null ? [] : [1 / answers]));
  return known.length < hard.length ? null : known.reduce((sum, chance) => sum + chance, 0) / known.length;
}

type Reasoned = 'provisional' | 'conditions' | 'wrong' | 'faithfulWrong' | 'against';

function reasonsOf(verdict: Pick<Verdict, Reasoned>): string[] {
  const { provisional, conditions, wrong, faithfulWrong, against } = verdict;
  const count = wrong?.count ?? 0;
  // The last step may ask more questions than an intermediate evaluation.
  const more = provisional ? '' : ' More hard questions could tell (evaluation.hardItems).';
  if (count < LEAST_ITEMS) {
    const needed = `${LEAST_ITEMS} hard questions of belief (order 1 and above) are needed and there are ${count}.`;
    return [count === 0 ? needed : needed + more];
  }
  if (wrong === null || faithfulWrong === null)
    return ['No simulated world stands behind these items, so their traces cannot be judged.'];
  const { chance } = wrong;
  if (!hasReasoned(conditions)) {
    const found = `on hard questions ${percent(faithfulWrong.before)} of the thinking was true ${startWords(against)} (${between(faithfulWrong.start)}, needed ${percent(LEAST_FAITHFUL)}), and ${percent(wrong.before)} of the answers right (${between(wrong.start)}, ${chance === null ? 'a guess: not known' : `a guess ${percent(chance)}`})`;
    return [
      hadLittle(wrong, faithfulWrong)
        ? `There was little reasoning to lose: ${found}.`
        : `Whether there was reasoning to lose is not sure: ${found}.${more}`,
    ];
  }
  return [
    leftWords('Of the right answers to hard questions', wrong, more),
    leftWords('Of the correct reasoning there', faithfulWrong, more),
  ];
}

const between = ({ low, high }: Estimate): string => `${percent(low)} to ${percent(high)}`;

/** Describes a ratio. @param more - advice if it is inconclusive */
function leftWords(what: string, figure: Ratio, more: string): string {
  const left = `${what} ${percent(figure.ratio.value)} is left (${between(figure.ratio)})`;
  if (isHalved(figure)) return `${left}: at most half.`;
  if (isKept(figure)) return `${left}: kept.`;
  if (figure.ratio.low > HALF) return `${left}: a part is lost, and not half of it.`;
  return `${left}: whether half is lost is open.${more}`;
}

function requirePaired(start: readonly ItemOutcome[], now: readonly ItemOutcome[]): void {
  const other = now.findIndex(
    (after, index) => start[index]?.order !== after.order || start[index].easy !== after.easy,
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
    easy: after.easy,
  };
}

/** Sums over the pairs, and functions that bound any figure of the sums. All figures share the same draws. */
function bootstrap(pairs: readonly Pair[], draws: number, seed: number) {
  const rowOf = resample(pairs, draws, seed);
  const sums = sumsOf(pairs);
  const bounds = (figure: (row: Sums) => number): Estimate => {
    const values = new Float64Array(draws);
    for (let draw = 0; draw < draws; draw++) values[draw] = figure(rowOf(draw));
    values.sort();
    return {
      value: figure(sums),
      low: values[Math.floor(ERROR_RATE * (draws - 1))],
      high: values[Math.ceil((1 - ERROR_RATE) * (draws - 1))],
    };
  };
  const paired = (set: typeof FIXED | typeof HARD, figure: number): PairedMean => {
    const at = set + figure;
    const count = sums[set + COUNT];
    const change = bounds((row) => over(row[at + 1] - row[at], row[set + COUNT]));
    return { count, before: over(sums[at], count), now: over(sums[at + 1], count), change };
  };
  return { sums, bounds, paired };
}

function over(sum: number, count: number): number {
  return count === 0 ? 0 : sum / count;
}

/** Returns 1 for a zero start, which cannot shrink. */
function ratio(now: number, before: number): number {
  return before === 0 ? 1 : now / before;
}
