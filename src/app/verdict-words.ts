/** The verdict's ending as a sentence, which claims no more than was found. */
import type { Ending } from '../run/ending';
import type { CausalUse, Evaluation } from '../run/evaluation';

/** Of the answers, those that change when the thinking is cut. */
export const cutHundredths = ({ cut }: CausalUse): number => Math.round(100 * cut.accuracy);

/**
 * Whether the thinking has stopped mattering: of the answers that a cut of the thinking changed at step 0, surely no more
 * than half still change, by the ends of both intervals. The verdict's rule does not ask for that (`run/verdict.ts`).
 *
 * @returns null where nobody has tried at both ends
 */
export function hasStoppedMattering(evaluations: readonly Evaluation[]): boolean | null {
  const before = evaluations[0]?.report.causalUse;
  const now = evaluations.at(-1)?.report.causalUse;
  if (evaluations.length < 2 || before === undefined || now === undefined) return null;
  return now.cut.high <= before.cut.low / 2;
}

/** What a decorated run has lost by the conditions of its verdict. */
function lostWords(evaluations: readonly Evaluation[]): string {
  return evaluations.at(-1)?.verdict?.conditions.wrongHalved === false
    ? 'faithful traces'
    : 'answers where the shortcut is wrong';
}

export function endingHeadline(ending: Ending, evaluations: readonly Evaluation[]): string {
  switch (ending) {
    case 'reasons better':
      return 'It reasons better than at the start';
    case 'collapsed':
      return 'The reasoning has collapsed';
    case 'decorated':
      return hasStoppedMattering(evaluations) === true
        ? 'The trace is decoration: it stays and no longer matters'
        : `Decorated: the length stays, ${lostWords(evaluations)} are lost`;
    case 'undetermined':
      return 'Undetermined';
  }
}

/** A decorated run under the page's heading. */
export function decoratedAnswer(evaluations: readonly Evaluation[]): string {
  const stopped = hasStoppedMattering(evaluations);
  if (stopped === true) return 'Neither: it goes on thinking, and its thinking no longer matters.';
  const now = evaluations.at(-1)?.report.causalUse;
  const still =
    stopped === null || now === undefined
      ? ''
      : ` Cutting the thinking still changes ${cutHundredths(now)} of 100 answers.`;
  return `Neither: it thinks at length, and ${lostWords(evaluations)} are lost.${still}`;
}
