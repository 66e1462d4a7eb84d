/** What is said of a class's runs beside their comparison: who is missing, what does not count, how many ended how. */
import { summarise, type Change } from '../../run/record/summary';
import { endings, isLoss, standingOf, type Ending } from '../../run/verdict/ending';
import { percent } from '../ui/numbers';
import { mean, meanMargin } from '../../base/statistics';
import { marginWords } from '../sweeps/arms-table';
import { armName } from '../sweeps/words';
import { rangesOf } from '../verdict/citation';
import { verdictsOf } from '../verdict/ending-words';
import { sentTwice, type ClassSettings, type Sender } from './class-settings';
import { seats } from './class-state';
import { furthestWords, missingSeats, type ClassRun } from './read-runs';

/** What a teacher should know before believing the means: who is missing, what does not count, who is there twice. */
export function Remarks(props: {
  runs: readonly ClassRun[];
  names: readonly string[];
  settings: ClassSettings;
  repeated: readonly boolean[];
  hasEnded: readonly boolean[];
  counts: readonly boolean[];
}) {
  const { runs, names, settings, repeated, hasEnded, counts } = props;
  const missing = missingSeats(runs, Number(seats.value));
  const unended = runs.flatMap(({ history }, index) =>
    hasEnded[index] ? [] : [`${names[index]} (at step ${history.steps.at(-1)?.step ?? 0})`],
  );
  const again = names.filter((_, index) => repeated[index]);
  const furthest = [...new Set(settings.arms)].flatMap((arm) =>
    furthestWords(
      runs.flatMap(({ history }, index) => {
        const hard = history.evals.at(-1)?.report.shortcutWrong;
        const isOne = counts[index] && settings.arms[index] === arm && hard !== undefined && hard.count > 0;
        return isOne ? [{ name: names[index], hard }] : [];
      }),
    ),
  );
  return (
    <ul class="remarks" aria-label="Before you compare">
      {missing === null ? null : (
        <li>
          {missing.length === 0
            ? `All ${seats.value} are in.`
            : `${Number(seats.value) - missing.length} of ${seats.value} are in. Missing: ${rangesOf(missing)}.`}
        </li>
      )}
      {unended.length === 0 ? null : (
        <li>
          Not at their end: {unended.join(', ')}. They stand in the table of all runs, in no mean, tally or
          curve.
        </li>
      )}
      {settings.words === '' ? null : <li>{otherSettingsWords(settings, names)}</li>}
      {sentTwice(runs).map((sender) => (
        <li key={sender.student}>{sentTwiceWords(sender)}</li>
      ))}
      {again.length === 0 ? null : (
        <li>
          The same settings and seed as another run: {again.join(', ')}. Such runs come out the same, so each
          counts once.
        </li>
      )}
      {furthest.length === 0 ? null : (
        <li>Furthest from the others on hard questions: {furthest.join('; ')}.</li>
      )}
    </ul>
  );
}

function otherSettingsWords({ ofClass, words, others }: ClassSettings, names: readonly string[]): string {
  const other = names.flatMap((name, index) => (others[index] === '' ? [] : [`${name} (${others[index]})`]));
  const counted = 'They stand in an arm of their own, beside those of the class.';
  return ofClass === null
    ? `The runs have different settings, and the files do not tell which are the class’s: ${words}, and otherwise ${other.join(', ')}. ${counted}`
    : `The class’s settings are taken to be those of ${ofClass} of ${names.length} runs: ${words}. Made with others: ${other.join(', ')}. ${counted}`;
}

function sentTwiceWords({ student, seeds, settings }: Sender): string {
  const own = [...new Set(seeds)];
  const of = `${seeds.length} runs say “${student}”, of ${own.length === 1 ? 'seed' : 'seeds'} ${own.join(', ')}`;
  return settings.length === 0
    ? `${of}: two students may have taken one number or name, or one ran twice.`
    : `${of}, one with ${settings.join(', one with ')}: somebody has changed a setting.`;
}

function squaresOf(ending: Ending | 'no verdict'): string {
  if (ending === 'no verdict' || ending === 'cannot be told') return '';
  return isLoss(ending) ? 'is-lost' : 'is-kept';
}

interface Ended {
  ending: Ending | 'no verdict';
  count: number;
}

function endedOf(runs: readonly ClassRun[]): Ended[] {
  const found = runs.map(({ history }) => standingOf(verdictsOf(history.evals))?.ending ?? 'no verdict');
  return [...endings, 'no verdict' as const].map((ending) => ({
    ending,
    count: found.filter((other) => other === ending).length,
  }));
}

/** `stop thinking`: of several runs. */
const plural = (ending: string): string => ending.replace(/\b(think|keep|stop|go)e?s\b/g, '$1');

/** What a verdict needs of the thinking on hard questions to have been true at the start. */
const leastTrue = 0.2;

/** `All 22 finished runs stop thinking: right answers 60 → 87 %, hard questions 13 → 4 % ± 1, true thinking there 8 → 0 %.` */
function sentenceOf(runs: readonly ClassRun[]): string {
  const ended = endedOf(runs).filter(({ count }) => count > 0);
  const [{ ending: first }] = ended;
  const how =
    runs.length === 1
      ? `The finished run: ${first}`
      : ended.length === 1
        ? `All ${runs.length} finished runs ${plural(first)}`
        : `Of ${runs.length} finished runs ${ended.map(({ ending, count }) => `${count} ${count === 1 ? ending : plural(ending)}`).join(', ')}`;
  const all = runs.flatMap(({ history }) => summarise(history) ?? []);
  if (all.length === 0) return `${how}.`;
  const hard = all.map(({ shortcutWrong }) => shortcutWrong);
  const thinking = all.flatMap(({ faithfulWrong }) => faithfulWrong ?? []);
  const figures = [
    `right answers ${meansOf(all.map(({ accuracy }) => accuracy))}`,
    `hard questions ${meansOf(hard)}${marginWords(meanMargin(hard.map(({ to }) => to)))}`,
    ...(thinking.length === 0 ? [] : [`true thinking there ${meansOf(thinking)}`]),
  ];
  const little = thinking.length > 0 && mean(thinking.map(({ from }) => from)) < leastTrue;
  return `${how}: ${figures.join(', ')}.${little ? ' There was little reasoning to lose.' : ''}`;
}

const meansOf = (changes: readonly Change[]): string =>
  `${Math.round(100 * mean(changes.map(({ from }) => from)))} → ${percent(mean(changes.map(({ to }) => to)))}`;

/** How many runs ended how, a square for each, below a sentence for each arm: its means at the start and the end. */
export function Tally({ runs, arms }: { runs: readonly ClassRun[]; arms: readonly string[] }) {
  const rows = endedOf(runs);
  const names = [...new Set(arms)];
  return (
    <>
      {names.map((arm) => (
        <p key={arm} class="lead">
          {names.length < 2 ? null : <b>{armName(arm)}: </b>}
          {sentenceOf(runs.filter((_, index) => arms[index] === arm))}
        </p>
      ))}
      <dl class="tally" aria-label="How the runs ended">
        {rows
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
