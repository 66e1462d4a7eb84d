/** Remarks on the runs of a class, and the tally of their endings. */
import { measuredAccuracy } from '../../run/verdict/measured';
import type { RunConfig } from '../../run/config/config';
import { configKey } from '../../run/config/fields';
import { summarise } from '../../run/record/summary';
import { endings, isLoss, judgedEnding, standingOf } from '../../run/verdict/ending';
import { guesses, guessResult } from '../../run/verdict/guess';
import { counted, fromTo } from '../ui/numbers';
import { guessWords, resultMarks } from '../words/guess-words';
import { mean, meanMargin } from '../../base/statistics';
import { marginWords } from '../words/arms';
import { sentTwice, type Sender } from './class-settings';
import type { ClassRun } from './read-runs';
import { studentsWords, whoIsInWords } from './who-is-in';

export interface ClassRow extends ClassRun {
  /** Name of the student, unique in the table. */
  name: string;
  config: RunConfig;
  arm: string;
  /** Settings that differ from its seat's; empty without any. */
  others: string;
  isRepeated: boolean;
  counts: boolean;
}

/**
 * Caveats for the means: missing students, runs that do not count, and students with several runs.
 *
 * @param props.seats - number of seats given out; NaN if unknown
 */
export function Remarks({ rows, seats }: { rows: readonly ClassRow[]; seats: number }) {
  const unended = rows.filter(({ history }) => history.record.status !== 'done');
  const stopped = unended.map(({ name, history }) => `${name} (at step ${history.steps.at(-1)?.step ?? 0})`);
  const repeated = rows.filter(({ isRepeated }) => isRepeated).map(({ name }) => name);
  const differing = rows.filter((row) => differsFromCounted(row, rows)).map(({ name }) => name);
  const remarks = [
    whoIsInWords(rows, seats),
    linksWords(rows),
    stopped.length === 0
      ? ''
      : `Not at their end: ${stopped.join(', ')}. The table lists them, but means, counts and curves leave them out.`,
    otherSettingsWords(rows),
    ...sentTwice(rows).map(sentTwiceWords),
    repeated.length === 0
      ? ''
      : `The same settings and seed as another run: ${repeated.join(', ')}. Only the one with the most steps counts.`,
    differing.length === 0
      ? ''
      : `Their figures differ from those of the run that counts, although equal settings give equal figures: ${differing.join(', ')}. Ask these students for their files.`,
  ];
  return (
    <ul class="remarks" aria-label="Before you compare">
      {remarks.map((words) => (words === '' ? null : <li key={words}>{words}</li>))}
    </ul>
  );
}

/** A code rounds its figures, and the processors of two computers may round differently. */
const NEARLY = 0.02;

/** True for a repeated run with another accuracy than the run that counts, in an evaluation of both. */
export function differsFromCounted(
  { isRepeated, history }: Pick<ClassRow, 'isRepeated' | 'history'>,
  rows: readonly Pick<ClassRow, 'isRepeated' | 'history'>[],
): boolean {
  if (!isRepeated) return false;
  const key = configKey(history.record.config);
  const counted = rows.find((row) => !row.isRepeated && configKey(row.history.record.config) === key);
  return history.evals.some(({ report }) => {
    const other = counted?.history.evals.find((one) => one.report.step === report.step)?.report;
    if (other === undefined) return false;
    const [own, its] = [measuredAccuracy(report.overall), measuredAccuracy(other.overall)];
    return own !== null && its !== null && Math.abs(own - its) > NEARLY;
  });
}

const armsOf = (rows: readonly ClassRow[]): string[] => [...new Set(rows.map(({ arm }) => arm))];

function linksWords(rows: readonly ClassRow[]): string {
  const links = new Map<string, string[]>();
  for (const { student, history } of rows) {
    const link = history.record.class?.link;
    if (link !== undefined) links.set(link, [...(links.get(link) ?? []), student]);
  }
  const groups = [...links.values()].map(studentsWords);
  return groups.length < 2 ? '' : `The runs come from ${groups.length} class links: ${groups.join('; ')}.`;
}

function otherSettingsWords(rows: readonly ClassRow[]): string {
  const other = rows.flatMap(({ name, others }) => (others === '' ? [] : [`${name} (${others})`]));
  return other.length === 0
    ? ''
    : `Made with other settings than those of the class link: ${other.join(', ')}. They form a separate arm.`;
}

function sentTwiceWords({ student, seeds, settings }: Sender): string {
  const own = [...new Set(seeds)];
  const of = `${seeds.length} runs say “${student}”, of ${own.length === 1 ? 'seed' : 'seeds'} ${own.join(', ')}`;
  return settings.length === 0
    ? `${of}: two students may have taken one number or name, or one ran twice.`
    : `${of}, one with ${settings.join(', one with ')}: somebody has changed a setting.`;
}

/**
 * `Guesses of 3 of 4 runs: 2 “mostly keeps reasoning”, 1 “stops reasoning”.` With the endings `Guesses: 1 right, 2
 * wrong.`
 */
export function guessesWords(
  rows: readonly Pick<ClassRow, 'history' | 'isRepeated'>[],
  tellsEndings: boolean,
): string {
  const runs = rows.filter(({ isRepeated }) => !isRepeated).map(({ history }) => history);
  const guessed = runs.flatMap(({ record: { guess }, evals }) =>
    guess === undefined ? [] : [{ guess, ending: judgedEnding(evals) }],
  );
  const waits = 'without an ending yet';
  const choices = tellsEndings
    ? [...Object.values(resultMarks).map(({ words }) => words), waits]
    : guesses.map((guess) => `“${guessWords[guess]}”`);
  const said = guessed.map(({ guess, ending }) => {
    if (!tellsEndings) return `“${guessWords[guess]}”`;
    return ending === null ? waits : resultMarks[guessResult(guess, ending)].words;
  });
  const counts = choices.flatMap((words) => {
    const count = said.filter((other) => other === words).length;
    return count === 0 ? [] : [`${count} ${words}`];
  });
  const head = tellsEndings ? 'Guesses' : `Guesses of ${guessed.length} of ${counted(runs.length, 'run')}`;
  return guessed.length === 0 ? 'No run has a guess.' : `${head}: ${counts.join(', ')}.`;
}

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
