/** What the shortcut alone would score, for runs that are laid over each other: their question sets may differ. */
import type { Evaluation } from '../../run/evaluation';

interface EvaluatedRun {
  name: string;
  evaluations: readonly Evaluation[];
}

export interface ShortcutLine {
  label: string;
  /** Place of the run whose line it is, the first of those with the same questions. */
  run: number;
}

/** One line for each set of questions; two runs have the same one where the shortcut scores the same on it, to the last digit. */
export function shortcutLines(runs: readonly EvaluatedRun[]): ShortcutLine[] {
  const scores = runs.map(({ evaluations }) => evaluations.at(0)?.report.shortcutLine ?? null);
  const distinct = [...new Set(scores)].filter((score) => score !== null);
  return distinct.map((score) => {
    const names = runs.filter((_, i) => scores[i] === score).map(({ name }) => name);
    const whose = distinct.length === 1 ? '' : `${names.join(', ')}: `;
    return { label: `${whose}the shortcut alone`, run: scores.indexOf(score) };
  });
}
