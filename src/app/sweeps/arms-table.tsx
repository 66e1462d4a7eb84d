/** Arms side by side: how many runs ended how, their means with intervals over the runs, and each run's own value. */
import { endings } from '../../run/verdict/ending';
import type { ArmComparison, PairedArms, PairedDifference, PairedFigure, Spread } from '../../run/sweep/arms';
import { extent, median } from '../../base/statistics';
import { percent } from '../ui/numbers';
import { Term } from '../words/term';
import { armName } from './words';
import { ListTable } from '../ui/list-table';

interface Figure {
  name: string;
  of: (row: ArmComparison) => Spread | null;
  isChange?: boolean;
}

const figureNames: Record<PairedFigure, string> = {
  accuracy: 'accuracy',
  shortcutWrong: 'hard questions',
  lengthRatio: 'thinking left, at the test',
  trueStatements: 'true statements, at the test',
  faithful: 'true thinking',
  faithfulWrong: 'true thinking, hard questions',
};

const figures: readonly Figure[] = [
  { name: figureNames.accuracy, of: ({ accuracy }) => accuracy },
  { name: 'its change, points', of: ({ accuracyChange }) => accuracyChange, isChange: true },
  { name: figureNames.shortcutWrong, of: ({ shortcutWrong }) => shortcutWrong },
  { name: figureNames.lengthRatio, of: ({ lengthRatio }) => lengthRatio },
  { name: figureNames.trueStatements, of: ({ trueStatements }) => trueStatements },
  { name: figureNames.faithful, of: ({ faithful }) => faithful },
  { name: 'change of true thinking, points', of: ({ faithfulChange }) => faithfulChange, isChange: true },
  { name: figureNames.faithfulWrong, of: ({ faithfulWrong }) => faithfulWrong },
];

export function ArmsTable(props: {
  comparisons: readonly ArmComparison[];
  /** Arms that share seeds, held against each other. */
  pairs?: readonly PairedArms[];
  showsEndings?: boolean;
}) {
  const { comparisons, pairs = [], showsEndings = true } = props;
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label="Arms compared">
        <ListTable class="evaluation arms is-list">
          <thead>
            <tr>
              <th scope="col">
                <Term word="arm">Arm</Term>
              </th>
              <th scope="col">runs</th>
              {showsEndings ? <th scope="col">verdicts</th> : null}
              {figures.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {comparisons.map((row) => (
              <tr key={row.arm}>
                <th scope="row">{armName(row.arm)}</th>
                <td data-label="runs">{row.runs}</td>
                {showsEndings ? (
                  <td data-label="verdicts">
                    {endings
                      .filter((ending) => row.endings[ending] > 0)
                      .map((ending) => (
                        <span key={ending} class="ending">
                          {row.endings[ending]} {ending}
                        </span>
                      ))}
                  </td>
                ) : null}
                {figures.map(({ name, of, isChange }) => (
                  <td key={name} data-label={name}>
                    <SpreadCell spread={of(row)} reach={reachOf(comparisons.map(of))} signed={isChange} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </ListTable>
      </div>
      {pairs.length === 0 ? null : <Pairs pairs={pairs} />}
      {comparisons.some(({ runs }) => runs < fewestRuns) ? (
        <p>Too few runs for an interval that tells anything: an arm needs {fewestRuns}.</p>
      ) : null}
      <p class="explain">
        Mean over the runs that have ended, ± half of its 95 % interval (Student’s): with one run there is
        none, and two are too few for one that tells anything. All of it is of the tests, which take the
        likeliest word; the curves of thinking and true statements are of practice, which samples. “Hard
        questions”: right answers to those on which the shortcut is wrong. “Thinking left”: words of thinking
        at the last evaluation as a part of those at step 0, over all questions; a verdict takes those of
        belief alone. Below it the least, the median and the greatest of the runs, and a dot for each between
        those of all arms (ten points at least): a mean between two heaps of dots describes no run.{' '}
        {pairs.length === 0
          ? 'Two arms whose intervals overlap have not been told apart.'
          : 'Whether two arms differ is told by the differences seed by seed: where such an interval holds 0, they have not been told apart.'}
        {showsEndings ? ' The endings are the verdicts of each run’s last step.' : ''}
      </p>
    </>
  );
}

/** Behind an interval: that of two runs is so wide that it says nothing. */
const fewestRuns = 3;

function SpreadCell(props: { spread: Spread | null; reach: Reach; signed?: boolean }) {
  const { spread, reach, signed = false } = props;
  if (spread === null) return <>none</>;
  const { values, mean, margin } = spread;
  return (
    <>
      {signed ? hundredths(mean, signed) : percent(mean)}
      {values.length < fewestRuns ? '' : marginWords(margin)}
      {values.length < 2 ? null : (
        <>
          <small class="spread">
            {[values[0], median(values), values[values.length - 1]]
              .map((value) => hundredths(value, signed))
              .join(', ')}
          </small>
          <Dots values={values} reach={reach} />
        </>
      )}
    </>
  );
}

interface Reach {
  low: number;
  width: number;
}

/** From the least to the greatest of the runs of all arms; less than ten points would look like more than they are. */
function reachOf(spreads: readonly (Spread | null)[]): Reach {
  const [least, most] = extent(spreads.flatMap((spread) => spread?.values ?? []));
  const width = Math.max(0.1, most - least);
  return { low: (least + most - width) / 2, width };
}

const dotsWidth = 80;
const dotsHeight = 12;

function Dots({ values, reach: { low, width } }: { values: readonly number[]; reach: Reach }) {
  const x = (value: number): number => 4 + ((dotsWidth - 8) * (value - low)) / width;
  return (
    <svg class="dots" width={dotsWidth} height={dotsHeight} aria-hidden="true">
      <path d={`M4 ${dotsHeight / 2}H${dotsWidth - 4}`} />
      {values.map((value, index) => (
        <circle key={index} cx={x(value)} cy={dotsHeight / 2} r={3} />
      ))}
    </svg>
  );
}

function Pairs({ pairs }: { pairs: readonly PairedArms[] }) {
  const names = Object.keys(figureNames) as PairedFigure[];
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Differences seed by seed">
      <ListTable class="evaluation is-list">
        <caption>Differences seed by seed, in points</caption>
        <thead>
          <tr>
            <th scope="col">Arm</th>
            <th scope="col">seeds in both</th>
            {names.map((name) => (
              <th key={name} scope="col">
                {figureNames[name]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {pairs.map(({ arm, against, seeds, differences }) => (
            <tr key={arm}>
              <th scope="row">
                {armName(arm)} less {armName(against)}
              </th>
              <td data-label="seeds in both">{seeds.length}</td>
              {names.map((name) => (
                <td key={name} data-label={figureNames[name]}>
                  <Difference difference={differences[name]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </ListTable>
    </div>
  );
}

function Difference({ difference }: { difference: PairedDifference | null }) {
  if (difference === null) return <>none</>;
  const { mean, margin, pairs } = difference;
  return (
    <>
      {mean < 0 ? '−' : '+'}
      {(100 * Math.abs(mean)).toFixed(1)}
      {pairs < fewestRuns ? '' : ` ± ${(100 * margin).toFixed(1)}`}
    </>
  );
}

const signOf = (value: number, signed: boolean): string => (signed ? (value < 0 ? '−' : '+') : '');

const hundredths = (value: number, signed: boolean): string =>
  `${signOf(value, signed)}${Math.round(100 * Math.abs(value))}`;

/** Few runs that lie far apart say next to nothing: more than ± 100 is not spelled out; nor are runs that are all alike sure. */
export function marginWords(margin: number | null): string {
  if (margin === null) return '';
  if (margin > 1) return ' ± over 100';
  return margin >= 0.005 ? ` ± ${Math.round(100 * margin)}` : margin > 0 ? ' ± under 1' : '';
}
