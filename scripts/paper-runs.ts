/**
 * Writes the tables of docs/paper-runs/README.md: the runs in that folder, which holds the metrics.csv of each as `<name>.csv`,
 * and accuracy by order before and after training in study 2.
 *
 *     node scripts/run.mjs scripts/paper-runs.ts      # after adding a run's file
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mean } from '../src/base/statistics';
import { readLines } from './study/lines';
import { markdownTable, metricRows, replaceMarked, type Row } from './tables';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'docs', 'paper-runs');
export const page = join(folder, 'README.md');

function runsTable(): string {
  const files = readdirSync(folder).filter((name) => name.endsWith('.csv'));
  const lines = files.map((file) => {
    const { steps, evaluations } = metricRows(join(folder, file));
    const ends = (from: Row[], name: string, digits: number): string =>
      [from[0], from.at(-1)!].map((row) => Number(row[name]).toFixed(digits)).join(' → ');
    const orders = [0, 1, 2, 3, 4].map((order) => {
      const name = `eval/order_${order}`;
      const given = evaluations.filter((row) => (row[name] ?? '') !== '');
      return given.length === 0 ? '' : ends(given, name, 2);
    });
    const greedy = [evaluations[0], evaluations.at(-1)!];
    const overall = `${ends(greedy, 'eval/accuracy', 2)} of ${greedy[1]['eval/accuracy/count']}`;
    const sampled = ['reward', 'think/mean_length', 'think/reflection_words'].map((name, index) =>
      ends(steps, name, [2, 0, 2][index]),
    );
    return [`\`${file.replace(/\.csv$/, '')}\``, `${steps.length}`, ...sampled, overall, ...orders];
  });
  const head = ['run', 'steps', 'reward', 'thinking', 'reflection', 'right, greedy'];
  return markdownTable([...head, ...[0, 1, 2, 3, 4].map((order) => `order ${order}`)], lines);
}

interface Curve {
  /** With the fraction of stories that have the artefact. */
  size: string;
  before: number[];
  after: number[];
  isInverted: { before: boolean; after: boolean };
}

const CURVE = [1, 2, 3];

function curveOf({ order, correct }: { order: string; correct: string }): {
  accuracy: number[];
  isInverted: boolean;
} {
  const counts = CURVE.map((one) => {
    const places = order.split('').flatMap((digit, place) => (digit === `${one}` ? [place] : []));
    return { all: places.length, right: places.filter((place) => correct[place] === '1').length };
  });
  const accuracy = counts.map(({ all, right }) => right / all);
  const variance = accuracy.map((value, index) => (value * (1 - value)) / counts[index].all);
  const rise = accuracy[2] - accuracy[0];
  return { accuracy, isInverted: rise - 1.96 * Math.sqrt(variance[0] + variance[2]) > 0 };
}

/** Base runs of study 2, on orders 1 to 3. */
const studyCurves = (): Curve[] =>
  readLines('2')
    .filter(({ arm }) => arm === 'base')
    .map(({ start, config, before, after }) => {
      const [first, last] = [before, after].map(({ benchmark }) => curveOf(benchmark));
      return {
        size: `${start.size}, rho ${config.data.rho}`,
        before: first.accuracy,
        after: last.accuracy,
        isInverted: { before: first.isInverted, after: last.isInverted },
      };
    });

function curvesTable(): string {
  const curves = studyCurves();
  const sizes = [...new Set(curves.map(({ size }) => size))].sort(
    (a, b) => parseInt(a) - parseInt(b) || (a < b ? -1 : 1),
  );
  const lines = sizes.map((size) => {
    const all = curves.filter((curve) => curve.size === size);
    const upright = all.filter(({ isInverted }) => !isInverted.before);
    const means = (when: 'before' | 'after'): string =>
      upright.length === 0
        ? ''
        : CURVE.map((_, index) => mean(upright.map((curve) => curve[when][index])).toFixed(2)).join(' / ');
    const inverted = upright.filter(({ isInverted }) => isInverted.after).length;
    const cells = [size, `${all.length}`, `${upright.length}`, means('before'), means('after')];
    return [...cells, upright.length === 0 ? '' : `${inverted}`];
  });
  const head = ['size', 'runs', 'not inverted before', 'orders 1 / 2 / 3 before', 'after', 'inverted after'];
  return markdownTable(head, lines);
}

export const withTables = (text: string): string =>
  replaceMarked(replaceMarked(text, 'paper-runs', runsTable()), 'order-curves', curvesTable());

if (process.argv[1]?.endsWith('paper-runs.ts')) writeFileSync(page, withTables(readFileSync(page, 'utf8')));
