/** Arms compared: how their runs ended, means with intervals over runs, and each run's own value. */
import { endings } from '../../run/verdict/ending';
import {
  compareArms,
  pairArms,
  type PairedDifference,
  type PairedFigure,
  type Spread,
} from '../../run/sweep/compare-arms';
import type { RunHistory } from '../../run/record/history';
import { extent, median } from '../../base/statistics';
import { percent } from '../ui/numbers';
import { armName, fewestRuns, marginWords } from '../words/arms';
import { Scroll, Table } from '../ui/table';

const figureNames = {
  accuracy: 'accuracy',
  accuracyChange: 'its change, points',
  hard: 'hard questions',
  lengthRatio: 'thinking left, at the test',
  trueStatements: 'true statements, at the test',
  faithful: 'correct reasoning',
  faithfulChange: 'change of correct reasoning, points',
  faithfulHard: 'correct reasoning, hard questions',
};
const figures = Object.keys(figureNames) as (keyof typeof figureNames)[];
/** Figures that are also compared seed by seed. The others are differences themselves. */
const paired = figures.filter((figure): figure is PairedFigure => !figure.endsWith('Change'));

/** @param props.runs - runs to compare, with the names of their arms */
export function ArmsTable(props: {
  runs: readonly { arm: string; history: RunHistory }[];
  showsEndings: boolean;
}) {
  const { runs, showsEndings } = props;
  const queue = runs.map(({ arm, history }) => ({ arm, config: history.record.config }));
  const histories = runs.map(({ history }) => history);
  const comparisons = compareArms(queue, histories);
  const pairs = pairArms(queue, histories);
  return (
    <>
      <Scroll label="Arms compared">
        <Table
          class="evaluation arms small is-list"
          head={[
            'Arm',
            'runs',
            ...(showsEndings ? ['verdicts'] : []),
            ...figures.map((figure) => figureNames[figure]),
          ]}
          rows={comparisons.map((row) => [
            armName(row.arm),
            row.runs,
            ...(showsEndings
              ? [
                  endings.map((ending) =>
                    row.endings[ending] === 0 ? null : (
                      <span key={ending} class="ending">
                        {row.endings[ending]} {ending}
                      </span>
                    ),
                  ),
                ]
              : []),
            ...figures.map((figure) => (
              <SpreadCell
                spread={row[figure]}
                all={comparisons.map((other) => other[figure])}
                isChange={figure.endsWith('Change')}
              />
            )),
          ])}
        />
      </Scroll>
      {pairs.length === 0 ? null : (
        <Scroll label="Differences seed by seed">
          <Table
            class="evaluation is-list"
            caption="Differences seed by seed, in points"
            head={['Arm', 'seeds in both', ...paired.map((figure) => figureNames[figure])]}
            rows={pairs.map(({ arm, against, seeds, differences }) => [
              `${armName(arm)} less ${armName(against)}`,
              seeds.length,
              ...paired.map((figure) => differenceWords(differences[figure])),
            ])}
          />
        </Scroll>
      )}
      {comparisons.some((arm) => arm.runs < fewestRuns) ? (
        <p>Too few runs for an interval that tells anything: an arm needs {fewestRuns}.</p>
      ) : null}
      <p class="explain">
        Mean over the runs that have ended, ± half of its 95 % interval (Student’s): with one run there is
        none, and two are too few for one that tells anything. All of it is of the tests, which take the
        likeliest token; the curves of thinking and true statements are of practice, which samples. “Hard
        questions”: right answers to those on which the shortcut is wrong. “Thinking left”: tokens of thinking
        at the last evaluation as a part of those at step 0, or at the end of a warm start, over all
        questions; a verdict takes those of belief alone. Below it the least, the median and the greatest of
        the runs, and a dot for each between those of all arms (ten points at least): a mean between two heaps
        of dots describes no run.{' '}
        {pairs.length === 0
          ? 'Two arms whose intervals overlap have not been told apart.'
          : 'Whether two arms differ is told by the differences seed by seed: where such an interval holds 0, they have not been told apart.'}
        {showsEndings ? ' The endings are the verdicts of each run’s last step.' : ''}
      </p>
    </>
  );
}

/** @param props.all - spreads of all arms, which set the range of the dots */
function SpreadCell(props: { spread: Spread | null; all: readonly (Spread | null)[]; isChange: boolean }) {
  const { spread, all, isChange } = props;
  if (spread === null) return <>none</>;
  const { values, mean, margin } = spread;
  const hundredths = (value: number): string =>
    `${isChange ? (value < 0 ? '−' : '+') : ''}${Math.round(100 * Math.abs(value))}`;
  return (
    <>
      {isChange ? hundredths(mean) : percent(mean)}
      {marginWords(values.length, margin)}
      {values.length < 2 ? null : (
        <>
          <small class="spread">
            {[values[0], median(values), values[values.length - 1]].map(hundredths).join(', ')}
          </small>
          <Dots values={values} reach={extent(all.flatMap((other) => other?.values ?? []))} />
        </>
      )}
    </>
  );
}

const dotsWidth = 80;
const dotsHeight = 12;
/** Minimum range of the dots. A range below ten points would exaggerate differences. */
const leastReach = 0.1;

function Dots({ values, reach: [least, most] }: { values: readonly number[]; reach: [number, number] }) {
  const perUnit = (dotsWidth - 8) / Math.max(leastReach, most - least);
  const x = (value: number): number => dotsWidth / 2 + perUnit * (value - (least + most) / 2);
  return (
    <svg
      class="dots"
      width={dotsWidth}
      height={dotsHeight}
      viewBox={`0 0 ${dotsWidth} ${dotsHeight}`}
      aria-hidden="true"
    >
      <path d={`M4 ${dotsHeight / 2}H${dotsWidth - 4}`} />
      {values.map((value, index) => (
        <circle key={index} cx={x(value)} cy={dotsHeight / 2} r={3} />
      ))}
    </svg>
  );
}

function differenceWords(difference: PairedDifference | null): string {
  if (difference === null) return 'none';
  const { mean, margin, pairs } = difference;
  const interval = pairs < fewestRuns ? '' : ` ± ${(100 * margin).toFixed(1)}`;
  return `${mean < 0 ? '−' : '+'}${(100 * Math.abs(mean)).toFixed(1)}${interval}`;
}
