/** Endings of a run, and the combination of several verdicts. The page imports this without the statistics code. */

export const endings = [
  'thinks better',
  'keeps thinking',
  'thinks less',
  'right answers, thinking no longer true',
  'goes on writing, no longer thinks',
  'stops thinking',
  'had little to lose',
  'too close to call',
  'not measured',
] as const;

/** Stored in records and shown on the page. */
export type Ending = (typeof endings)[number];

/** Ending in old records that covers five of the current endings. */
export const oldEnding = 'cannot be told';

/** True for conclusive endings. The other two are inconclusive. */
export function isSure(ending: Ending): boolean {
  return ending !== 'too close to call' && ending !== 'not measured';
}

/** Endings with a loss of useful thinking. */
export type Loss = Extract<Ending, 'stops thinking' | 'goes on writing, no longer thinks'>;

export function isLoss(ending: Ending | undefined): ending is Loss {
  return ending === 'stops thinking' || ending === 'goes on writing, no longer thinks';
}

/** Verdict fields that determine the ending. */
export interface Look {
  step: number;
  /** Baseline step if it is not 0: the end of a warm start. */
  against?: number;
  ending: Ending;
  /** True for an intermediate evaluation, which counts only together with the previous one. */
  provisional: boolean;
  conditions: { silent: boolean };
  /** Remaining share of the correct reasoning. */
  faithfulWrong: { ratio: Share } | null;
}

/** Share with one-sided 95 % bounds. */
export interface Share {
  value: number;
  low: number;
  high: number;
}

/** Combined result of a run's evaluations so far. */
export interface Standing {
  ending: Ending;
  /** First step of the consecutive evaluations with this ending; null if the ending is inconclusive. */
  since: number | null;
  /** Step of the last verdict. */
  step: number;
  /** True until the last step has a verdict. */
  provisional: boolean;
  /** True if thinking length is at most half of that at the start, for any ending. */
  silent: boolean;
  /** Share of the correct reasoning that is left; null unless the ending is `keeps thinking`. */
  kept: Share | null;
}

/** Evaluation with its verdict. The start and earlier evaluations have none. */
interface Judged {
  verdict?: Look;
}

/**
 * Returns the evaluations from the verdict's baseline onwards: those of the RL steps in a run with a warm start, otherwise
 * all. Returns all evaluations if there is no verdict yet.
 */
export function fromStart<One extends Judged & { report: { step: number } }>(
  evaluations: readonly One[],
): readonly One[] {
  const against = evaluations.at(-1)?.verdict?.against ?? 0;
  const first = evaluations.findIndex(({ report }) => report.step === against);
  return first <= 0 ? evaluations : evaluations.slice(first);
}

/** Describes the baseline of a verdict. */
export function startWords(against: number | undefined): string {
  return against === undefined ? 'at the start' : `at the end of the warm start (step ${against})`;
}

/** Combines the verdicts of all evaluations, in step order. Null without a verdict. */
export function standingOf(evaluations: readonly Judged[]): Standing | null {
  const verdicts = evaluations.flatMap(({ verdict }) => verdict ?? []);
  const last = verdicts.at(-1);
  if (last === undefined) return null;
  const shown = verdicts.map((_, index) => standingEnding(verdicts.slice(0, index + 1)));
  const ending = shown[shown.length - 1];
  const since = shown.findLastIndex((other) => other !== ending) + 1;
  return {
    ending,
    since: isSure(ending) ? verdicts[since].step : null,
    step: last.step,
    provisional: last.provisional,
    silent: last.conditions.silent,
    kept: ending === 'keeps thinking' ? (last.faithfulWrong?.ratio ?? null) : null,
  };
}

/** Ending of a finished run. Null until the last step has a verdict. */
export function judgedEnding(evaluations: readonly Judged[]): Ending | null {
  const standing = standingOf(evaluations);
  return standing === null || standing.provisional ? null : standing.ending;
}

/** Ending of the last step's verdict, or the one on which the last two intermediate evaluations agree. */
export function standingEnding(verdicts: readonly Pick<Look, 'ending' | 'provisional'>[]): Ending {
  const last = verdicts.at(-1);
  if (last === undefined) return 'too close to call';
  const stands = !last.provisional || !isSure(last.ending) || verdicts.at(-2)?.ending === last.ending;
  return stands ? last.ending : 'too close to call';
}
