/** The charts of one run, or of several runs overlaid: four large ones, and those behind "More curves". */
import { deviation, mean } from '../../../base/statistics';
import { mainMetrics } from '../../../run/recording/recording-file';
import { counted, percent } from '../../ui/numbers';
import { paysWords } from '../../words/paying';
import type { ChartProps } from '../chart';
import type { ChartLine } from './chart-line';
import {
  metricCurve,
  stepsOf,
  testCurve,
  testFigures,
  type ChartRun,
  type Curve,
  type Figure,
} from './curve';

/** Smoothing weight of the emphasized lines. */
const smoothing = 0.9;

const colours = ['--line-1', '--line-2', '--line-3', '--line-4', '--line-5'];

const armOf = ({ arm, name }: ChartRun): string => arm ?? name;
const armsOf = (runs: readonly ChartRun[]): string[] => [...new Set(runs.map(armOf))];

/** True if some arm has several runs. The charts then draw the mean of each arm. */
export const areArms = (runs: readonly ChartRun[]): boolean =>
  runs.length > 1 && armsOf(runs).length < runs.length;

/** One line per arm if some arm has several runs, else one per run. */
function overlaid(runs: readonly ChartRun[], curveOf: (run: ChartRun) => Curve): ChartLine[] {
  const isByArm = areArms(runs);
  return armsOf(runs).map((arm, place): ChartLine => {
    const own = runs.filter((run) => armOf(run) === arm);
    return {
      label: isByArm ? `${arm === '' ? 'all' : arm} (${counted(own.length, 'run')})` : own[0].name,
      colour: colours[place % colours.length],
      dash: place,
      ...(own.length === 1 ? curveOf(own[0]) : meanCurve(own.map((run) => curveOf(run)))),
    };
  });
}

/** Lines of a step metric. One run has a raw and a smoothed line. Several runs have smoothed lines, or one per arm. */
export function stepLines(runs: readonly ChartRun[], name: string, colour: string): ChartLine[] {
  const curve = ({ records }: ChartRun, weight: number): Curve => metricCurve(records, name, weight);
  if (runs.length > 1) return overlaid(runs, (run) => curve(run, smoothing));
  return [
    { label: 'single steps', colour, faint: true, ...curve(runs[0], 0) },
    { label: 'smoothed', colour, ...curve(runs[0], smoothing) },
  ];
}

/** Smoothed lines of the parts of a run's reward, if it has several. */
function partLines({ records }: ChartRun): ChartLine[] {
  const parts = Object.keys(records.at(-1) ?? {}).flatMap(
    (metric) => /^rewards\/(.+)\/mean$/.exec(metric)?.[1] ?? [],
  );
  if (parts.length < 2) return [];
  return parts.map((name, at) => ({
    ...{ label: name, colour: '--quiet', dash: at + 1 },
    ...metricCurve(records, `rewards/${name}/mean`, smoothing),
  }));
}

/**
 * Mean of curves, with a band of one standard deviation (Bessel-corrected) on either side, at the steps that all curves
 * which reach them have. A thinned run has fewer steps than a whole one.
 */
export function meanCurve(curves: readonly Curve[]): Curve & Required<Pick<ChartLine, 'band'>> {
  const rows = curves.map(({ steps, values }) => new Map(steps.map((step, row) => [step, values[row]])));
  const isShared = (step: number): boolean =>
    curves.every(({ steps }, at) => rows[at].has(step) || step < steps[0] || step > steps.at(-1)!);
  const steps = stepsOf(curves).filter(isShared);
  const known = steps.map((step) => rows.flatMap((row) => row.get(step) ?? []));
  const curve = (of: (values: number[]) => number): Curve['values'] =>
    known.map((values) => (values.length === 0 ? undefined : of(values)));
  const low = curve((values) => mean(values) - deviation(values));
  const high = curve((values) => mean(values) + deviation(values));
  return { steps, values: curve(mean), band: { low, high } };
}

type TestLine = Omit<ChartLine, keyof Curve> & { of: Figure };

const tested: TestLine = {
  label: 'on test questions',
  end: 'test',
  colour: '--thinking',
  dash: 1,
  of: testFigures.tested,
};
const asked: readonly TestLine[] = [
  { label: 'easy questions', end: 'easy', colour: '--shortcut', dash: 1, of: testFigures.easy },
  { label: 'hard questions', end: 'hard', colour: '--hard', dash: 2, of: testFigures.hard },
  { label: 'all questions', end: 'all', colour: '--ink', dash: 0, of: testFigures.all },
  { label: 'the shortcut alone', colour: '--quiet', dash: 4, points: false, of: testFigures.shortcut },
];

/** Drops the lines of questions that no test asked. Before the first test all lines remain. */
const measured = (lines: readonly ChartLine[]): ChartLine[] =>
  lines.filter(({ values }) => values.length === 0 || values.some((value) => value != null));

const testLines = ({ evaluations }: ChartRun, lines: readonly TestLine[]): ChartLine[] =>
  measured(lines.map(({ of, ...look }) => ({ points: true, ...look, ...testCurve(evaluations, of) })));

/**
 * Lines of accuracy, and the title of their chart. One run has a line for each kind of questions. Several runs have only
 * hard questions, or all questions if none is hard.
 */
export function accuracyOf(runs: readonly ChartRun[]): { title: string; lines: ChartLine[] } {
  if (runs.length === 1) return { title: 'Accuracy', lines: testLines(runs[0], asked) };
  const linesOf = (figure: Figure): ChartLine[] => {
    const lines = overlaid(runs, ({ evaluations }) => testCurve(evaluations, figure));
    return measured(lines.map((line) => ({ ...line, points: true })));
  };
  const hard = linesOf(testFigures.hard);
  if (hard.length > 0) return { title: 'Hard questions', lines: hard };
  return { title: 'Accuracy', lines: linesOf(testFigures.all) };
}

/** False if the shortcut scores differently on the questions of two runs. */
export function areAskedTheSame(runs: readonly ChartRun[]): boolean {
  const firsts = runs.flatMap(({ evaluations }) => evaluations.slice(0, 1));
  const scores = testCurve(firsts, testFigures.shortcut).values;
  return new Set(scores.filter((score) => score !== null)).size <= 1;
}

type Charted = Omit<ChartProps, 'steps' | 'lookedAt'>;

/** Large charts. Before the first step all are shown, then those with a value. */
export function mainCharts(runs: readonly ChartRun[]): Charted[] {
  const single = runs.length === 1 ? runs[0] : null;
  const thinking = stepLines(runs, mainMetrics.thinking, '--thinking');
  const charts: Charted[] = [
    {
      ...{ title: 'Reward', of: 'mean of a step, in practice' },
      about: `What training raises. ${single === null ? '' : paysWords(single.config)}`,
      lines: [...stepLines(runs, mainMetrics.reward, '--ink'), ...(single === null ? [] : partLines(single))],
    },
    {
      ...{ title: 'Thinking', of: 'tokens, in practice', ends: [0] },
      about:
        'Answers are sampled in practice, and the likeliest on test questions, by which the verdict goes.',
      lines: single === null ? thinking : [...thinking, ...testLines(single, [tested])],
    },
    {
      ...{ title: 'True statements', of: 'mean of the answers, in practice', ends: [0, 1], format: percent },
      about:
        'How many of an answer’s statements are true: 0 % for an answer without any, so this falls with the thinking too. One that is untrue makes the whole thinking untrue.',
      lines: stepLines(runs, mainMetrics.statements, '--right'),
    },
    {
      ...{ ...accuracyOf(runs), of: 'right answers, on test questions', ends: [0, 1], format: percent },
      about: 'How many answers are right. Hard questions are those on which the shortcut is wrong.',
    },
  ];
  return charts.filter(({ lines }) => measured(lines).length > 0);
}

type DetailMetric = [metric: string, title: string, of: string, about: string, format?: typeof percent];

const exponential = (value: number): string => (value === 0 ? '0' : value.toExponential(1));

const levelGroups =
  'Prompts whose samples all earned the same: from these GRPO, Dr. GRPO, DAPO and RLOO learn nothing.';
const cutOff = 'Completions that reached the token limit. At 100 % nothing is learned: raise the limit.';

const detailMetrics: readonly DetailMetric[] = [
  ['loss', 'Loss', 'loss of the policy', 'It need not fall: its level means nothing in RL.'],
  ['learning_rate', 'Learning rate', 'step size of Adam', 'The schedule of the optimizer.', exponential],
  [
    'clip_ratio/region_mean',
    'Clip ratio',
    'of the tokens',
    'Tokens whose gradient is clipped to 0.',
    percent,
  ],
  ['completions/mean_length', 'Response length', 'tokens per completion', 'Reasoning, answer and tags.'],
  ['entropy', 'Entropy', 'nats per token', 'How undecided each token is. Near 0 nothing new is tried.'],
  ['kl', 'KL', 'nats per token', 'Distance from the start. With the KL penalty off it stays empty.'],
  ['completions/clipped_ratio', 'Cut off', 'of the completions', cutOff, percent],
  ['frac_reward_zero_std', 'Groups without variance', 'of the prompts', levelGroups, percent],
  ['grad_norm', 'Gradient norm', 'before clipping', 'Sudden peaks warn of an unstable run.'],
  ['tokens_per_second/rollout', 'Sampled tokens per second', 'tokens', 'Speed of the computer that trained.'],
];

/** Charts of the metrics behind "More curves". */
export function detailCharts(runs: readonly ChartRun[]): Charted[] {
  const all = detailMetrics.map(([metric, title, of, about, format]): Charted => ({
    ...{ title, of, about, format, lines: stepLines(runs, metric, '--ink') },
    ends: format === percent ? [0, 1] : undefined,
  }));
  return all.filter(({ lines }) => lines.some(({ values }) => values.some((value) => value != null)));
}
