/**
 * Rows as CSV (RFC 4180) for spreadsheets and pandas.
 *
 * Spreadsheets execute a cell that begins like a formula, and names of metrics, runs and models may come from outside. Such
 * cells get a leading apostrophe, which marks them as text.
 */
import type { Accuracy } from '../reward/accuracy';
import type { StepRecord } from '../run/record/events';
import type { Estimate, EvalReport, Evaluation, Verdict } from '../run/record/evaluation';
import {
  measuredAccuracy,
  measuredChange,
  measuredFigure,
  measuredLength,
  type ReportFigure,
} from '../run/verdict/measured';

type Cell = string | number | boolean | null;
export type Row = Record<string, Cell>;

/** Start of a formula, also after white space and invisible characters, and in the full-width forms that some spreadsheets accept. */
const formulaStart = /^[\s\p{C}]*[=+\-@＝＋－＠]|^[\t\r\n]/u;

function cellText(cell: Cell | undefined): string {
  if (cell == null) return '';
  if (typeof cell !== 'string') return String(cell);
  const harmless = formulaStart.test(cell) ? `'${cell}` : cell;
  return /[",;\r\n\t]|^\s|\s$/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

function columnsOf(rows: readonly Row[]): string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row)))];
}

function headLine(columns: readonly string[]): string {
  return `${columns.map(cellText).join(',')}\r\n`;
}

function rowLines(rows: readonly Row[], columns: readonly string[]): string {
  const cells = (row: Row) =>
    columns.map((column) => cellText(Object.hasOwn(row, column) ? row[column] : null));
  return rows.map((row) => `${cells(row).join(',')}\r\n`).join('');
}

/** Writes a header and one line per row. Columns are in order of first occurrence. */
export function toCsv(rows: readonly Row[]): string {
  const columns = columnsOf(rows);
  return headLine(columns) + rowLines(rows, columns);
}

function named<T>(prefix: string, record: Record<string, T> = {}): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [prefix + name, value]));
}

/** Cells for the value, bounds and count of each figure. Missing figures have no cells, those of no questions only a count. */
function figureCells(figures: Record<string, Accuracy | Estimate | undefined>): Row {
  const cells: Row = {};
  for (const [name, figure] of Object.entries(figures)) {
    if (figure === undefined) continue;
    const value = 'count' in figure ? measuredAccuracy(figure) : figure.value;
    if (value !== null) {
      cells[name] = value;
      cells[`${name}/low`] = figure.low;
      cells[`${name}/high`] = figure.high;
    }
    if ('count' in figure) cells[`${name}/count`] = figure.count;
  }
  return cells;
}

function evaluationCells({ report, verdict }: Evaluation): Row {
  const numbers = Object.entries(report satisfies EvalReport)
    .filter(([name, value]) => typeof value === 'number' && name !== 'step')
    .map(([name]) => [name, measuredFigure(report, name as ReportFigure)] as const)
    .filter(([, value]) => value !== null);
  const figures = figureCells({
    accuracy: report.overall,
    belief: report.belief,
    factual: report.factual,
    'sampled/belief': report.sampled?.belief,
    'sampled/factual': report.sampled?.factual,
    shortcut_right: report.shortcutRight,
    shortcut_wrong: report.shortcutWrong,
    ...named('order_', report.byOrder),
    ...named('held_out/', report.heldOut),
  });
  return {
    ...named('eval/', { ...figures, ...Object.fromEntries(numbers) }),
    ...(verdict && named('verdict/', verdictCells(verdict))),
  };
}

function verdictCells(verdict: Verdict): Row {
  const estimates = figureCells({
    length_ratio: measuredLength(verdict)?.ratio,
    belief_change: measuredChange(verdict.belief)?.change,
    faithful_change: measuredChange(verdict.faithful)?.change,
    faithful_wrong_start: verdict.faithfulWrong?.start,
    faithful_wrong_change: verdict.faithfulWrong?.change,
    faithful_wrong_ratio: verdict.faithfulWrong?.ratio,
    shortcut_wrong_start: verdict.wrong?.start,
    shortcut_wrong_change: verdict.wrong?.change,
    shortcut_wrong_ratio: verdict.wrong?.ratio,
    sampled_belief_change: measuredChange(verdict.sampled)?.change,
  });
  return {
    ending: verdict.ending,
    provisional: verdict.provisional,
    silent: verdict.conditions.silent,
    ...figureCells({
      kept: verdict.ending === 'keeps thinking' ? verdict.faithfulWrong?.ratio : undefined,
    }),
    ...estimates,
  };
}

/** Steps of a long run that are read or written at once. */
const STEPS_AT_ONCE = 500;

/**
 * Writes one row per step with its metrics and, if there is one, its evaluation.
 *
 * @yields the text in parts, some of them empty: the work between two parts does not depend on the length of the run
 */
export function* metricsCsvParts(
  steps: readonly StepRecord[],
  evals: readonly Evaluation[],
): Generator<string, void, void> {
  const records = new Map<number, Row>(steps.map((record) => [record.step, record]));
  const evaluations = new Map(evals.map((one) => [one.report.step, one]));
  const order = [...new Set([...records.keys(), ...evaluations.keys()])].sort((a, b) => a - b);
  const rowAt = (step: number): Row => {
    const evaluation = evaluations.get(step);
    return { step, ...records.get(step), ...(evaluation && evaluationCells(evaluation)) };
  };
  const columns = new Set<string>();
  for (let first = 0; first < order.length; first += STEPS_AT_ONCE) {
    for (const step of order.slice(first, first + STEPS_AT_ONCE)) {
      for (const column of Object.keys(rowAt(step))) columns.add(column);
    }
    yield '';
  }
  yield headLine([...columns]);
  for (let first = 0; first < order.length; first += STEPS_AT_ONCE) {
    yield rowLines(order.slice(first, first + STEPS_AT_ONCE).map(rowAt), [...columns]);
  }
}

export const metricsCsv = (steps: readonly StepRecord[], evals: readonly Evaluation[]): string =>
  [...metricsCsvParts(steps, evals)].join('');
