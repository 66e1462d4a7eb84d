/** Remarks on the runs of a class, and the tally of their endings. */
import type { RunConfig } from '../../run/config/config';
import { summarise } from '../../run/record/summary';
import { endings, isLoss, standingOf } from '../../run/verdict/ending';
import { counted, fromTo, rangesOf } from '../ui/numbers';
import { mean, meanMargin } from '../../base/statistics';
import { marginWords } from '../words/arms';
import { missingSeats, type ClassRun } from './read-runs';

export interface ClassRow extends ClassRun {
  /** Name of the student, unique in the table. */
  name: string;
  config: RunConfig;
  arm: string;
  isRepeated: boolean;
  counts: boolean;
}

/**
 * Caveats for the means: missing students, and runs that do not count.
 *
 * @param props.seats - number of seats given out; NaN if unknown
 */
export function Remarks({ rows, seats }: { rows: readonly ClassRow[]; seats: number }) {
  const unended = rows.filter(({ history }) => history.record.status !== 'done');
  const stopped = unended.map(({ name, history }) => `${name} (at step ${history.steps.at(-1)?.step ?? 0})`);
  const repeated = rows.filter(({ isRepeated }) => isRepeated).map(({ name }) => name);
  const remarks = [
    whoIsInWords(rows, seats),
    stopped.length === 0
      ? ''
      : `Not at their end: ${stopped.join(', ')}. The table lists them, but means, counts and curves leave them out.`,
    repeated.length === 0
      ? ''
      : `The same settings and seed as another run: ${repeated.join(', ')}. Only the one with the most steps counts.`,
  ];
  return (
    <ul class="remarks" aria-label="Before you compare">
      {remarks.map((words) => (words === '' ? null : <li key={words}>{words}</li>))}
    </ul>
  );
}

/**
 * `2 of 25 are in. Missing: 1, 2, 4 to 6, 8 to 25.` Empty if no run has a seat number.
 *
 * @param seats - number of seats given out; NaN if unknown
 */
export function whoIsInWords(runs: readonly Pick<ClassRun, 'student'>[], seats: number): string {
  const missing = missingSeats(runs, seats);
  if (missing === null) return '';
  return missing.length === 0
    ? `All ${seats} are in.`
    : `${seats - missing.length} of ${seats} are in. Missing: ${rangesOf(missing)}.`;
}

const armsOf = (rows: readonly ClassRow[]): string[] => [...new Set(rows.map(({ arm }) => arm))];

function endedOf(rows: readonly Pick<ClassRow, 'history'>[]) {
  const found = rows.map(({ history }) => standingOf(history.evals)?.ending ?? 'no verdict');
  return [...endings, 'no verdict' as const].map((ending) => ({
    ending,
    count: found.filter((other) => other === ending).length,
  }));
}

const figureNames = {
  accuracy: 'right answers',
  hard: 'hard questions',
  faithfulHard: 'correct reasoning there',
} as const;

/** `2 finished runs: 2 “stops thinking”, right answers 60 → 87 %, hard questions 13 → 4 %, correct reasoning there 8 → 0 %.` */
export function sentenceOf(rows: readonly Pick<ClassRow, 'history'>[]): string {
  const ended = endedOf(rows).flatMap(({ ending, count }) => (count === 0 ? [] : [`${count} “${ending}”`]));
  const all = rows.flatMap(({ history }) => summarise(history) ?? []);
  const figures = Object.entries(figureNames).flatMap(([figure, name]) => {
    const changes = all.flatMap((summary) => summary[figure as keyof typeof figureNames] ?? []);
    if (changes.length === 0) return [];
    const ends = changes.map(({ to }) => to);
    const means = fromTo({ before: mean(changes.map(({ from }) => from)), now: mean(ends) });
    return `${name} ${means}${marginWords(meanMargin(ends))}`;
  });
  return `${counted(rows.length, 'finished run')}: ${[...ended, ...figures].join(', ')}.`;
}

/**
 * Sentence for each arm with its means at the start and the end, then the number of runs per ending, one square each.
 *
 * @param props.rows - rows that count
 */
export function Tally({ rows }: { rows: readonly ClassRow[] }) {
  const arms = armsOf(rows);
  return (
    <>
      {arms.map((arm) => (
        <p key={arm} class="lead">
          {arms.length < 2 ? null : <b>{arm}: </b>}
          {sentenceOf(rows.filter((row) => row.arm === arm))}
        </p>
      ))}
      <dl class="tally" aria-label="How the runs ended">
        {endedOf(rows)
          .filter(({ ending, count }) => count > 0 || ending !== 'no verdict')
          .map(({ ending, count }) => (
            <div key={ending}>
              <dt>{ending}</dt>
              <dd>
                <span aria-hidden="true" class={`squares ${squaresOf(ending)}`}>
                  {'■'.repeat(count)}
                </span>{' '}
                {count}
              </dd>
            </div>
          ))}
      </dl>
    </>
  );
}

function squaresOf(ending: ReturnType<typeof endedOf>[number]['ending']): string {
  if (ending === 'keeps thinking' || ending === 'thinks better') return 'right';
  return ending !== 'no verdict' && isLoss(ending) ? '' : 'quiet';
}
