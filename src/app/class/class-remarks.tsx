/** What is said of a class's runs beside their comparison: who is missing, what does not count, how many ended how. */
import { endings, isLoss, standingOf, type Ending } from '../../run/verdict/ending';
import { percent } from '../ui/numbers';
import { median } from '../../base/statistics';
import { verdictsOf } from '../verdict/ending-words';
import { sentTwice, type ClassSettings, type Sender } from './class-settings';
import { seats } from './class-state';
import { missingSeats, ranges, type ClassRun } from './read-runs';

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
        return isOne ? [{ name: names[index], right: hard.accuracy }] : [];
      }),
    ),
  );
  return (
    <ul class="remarks" aria-label="Before you compare">
      {missing === null ? null : (
        <li>
          {missing.length === 0
            ? `All ${seats.value} are in.`
            : `${Number(seats.value) - missing.length} of ${seats.value} are in. Missing: ${ranges(missing)}.`}
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

/** `17, 9 % right (median 3 %)`: of three runs or more that are not all alike. */
function furthestWords(runs: readonly { name: string; right: number }[]): string[] {
  if (runs.length < 3) return [];
  const middle = median(runs.map(({ right }) => right));
  const away = ({ right }: { right: number }): number => Math.abs(right - middle);
  const { name, right } = runs.reduce((one, other) => (away(other) > away(one) ? other : one));
  return right === middle ? [] : [`${name}, ${percent(right)} right (median ${percent(middle)})`];
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

/** How many runs ended how, a square for each. */
export function Tally({ runs }: { runs: readonly ClassRun[] }) {
  const found = runs.map(({ history }) => standingOf(verdictsOf(history.evals))?.ending ?? 'no verdict');
  const rows = [...endings, 'no verdict' as const].map((ending) => ({
    ending,
    count: found.filter((other) => other === ending).length,
  }));
  return (
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
  );
}
