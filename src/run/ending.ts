/** How a run may end, and what verdicts say together; the page imports this without the statistics behind them. */

export type Ending = 'reasons better' | 'collapsed' | 'decorated' | 'undetermined';

export const endings: readonly Ending[] = ['reasons better', 'collapsed', 'decorated', 'undetermined'];

/** What of a verdict its ending hangs on. */
export interface Look {
  step: number;
  ending: Ending;
  /** A look in between, which counts only together with the one before it. */
  provisional: boolean;
}

/** What may be said of a run after some evaluations. */
export interface Standing {
  ending: Ending;
  /** The first step of those in a row at which it stood; null while it is undetermined. */
  since: number | null;
  /** The last step has not been judged. */
  provisional: boolean;
}

/** What the verdicts say together, in the order of their steps; null for none. */
export function standingOf(verdicts: readonly Look[]): Standing | null {
  const last = verdicts.at(-1);
  if (last === undefined) return null;
  const shown = verdicts.map((_, index) => standingEnding(verdicts.slice(0, index + 1)));
  const ending = shown[shown.length - 1];
  const since = shown.findLastIndex((other) => other !== ending) + 1;
  return {
    ending,
    since: ending === 'undetermined' ? null : verdicts[since].step,
    provisional: last.provisional,
  };
}

/** The last step's own verdict; of looks in between, what the last two agree on. */
export function standingEnding(verdicts: readonly Omit<Look, 'step'>[]): Ending {
  const last = verdicts.at(-1);
  if (last === undefined) return 'undetermined';
  return !last.provisional || verdicts.at(-2)?.ending === last.ending ? last.ending : 'undetermined';
}
