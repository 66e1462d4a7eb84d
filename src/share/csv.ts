/**
 * Metrics and rollouts as CSV (RFC 4180) for spreadsheets and pandas.
 *
 * A spreadsheet runs a cell that begins like a formula, and a rollout holds whatever a model or a data set said: such
 * text gets an apostrophe in front, which spreadsheets take as "this is text".
 */
import type { Accuracy } from '../reward/accuracy';
import type { StepRecord } from '../run/record/events';
import type { Rollout } from '../run/record/rollout-record';
import type { Estimate, EvalReport, Evaluation, Verdict } from '../run/record/evaluation';

type Cell = string | number | boolean | null;
type Row = Record<string, Cell>;

/** Also after blanks and invisible characters, and in the full-width forms that some spreadsheets fold. */
const formulaStart = /^[\s\p{C}]*[=+\-@＝＋－＠]|^[\t\r\n]/u;

function written(cell: Cell | undefined): string {
  if (cell == null) return '';
  if (typeof cell !== 'string') return String(cell);
  const harmless = formulaStart.test(cell) ? `'${cell}` : cell;
  return /[",;\r\n\t]|^\s|\s$/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

function columnsOf(rows: readonly Row[]): string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row)))];
}

function headLine(columns: readonly string[]): string {
  return `${columns.map(written).join(',')}\r\n`;
}

function rowLines(rows: readonly Row[], columns: readonly string[]): string {
  const cells = (row: Row) =>
    columns.map((column) => written(Object.hasOwn(row, column) ? row[column] : null));
  return rows.map((row) => `${cells(row).join(',')}\r\n`).join('');
}

/** One line per row and a head line; columns in the order in which they first appear. */
export function toCsv(rows: readonly Row[]): string {
  const columns = columnsOf(rows);
  return headLine(columns) + rowLines(rows, columns);
}

function accuracyCells(name: string, { count, accuracy, low, high }: Accuracy): [string, Cell][] {
  return [
    [name, accuracy],
    [`${name}/low`, low],
    [`${name}/high`, high],
    [`${name}/count`, count],
  ];
}

function evaluationCells({ report, verdict }: Evaluation): [string, Cell][] {
  const numbers = Object.entries(report satisfies EvalReport).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number' && entry[0] !== 'step',
  );
  return [
    ...accuracyCells('eval/accuracy', report.overall),
    ...(report.validation === undefined ? [] : accuracyCells('eval/validation', report.validation)),
    ...accuracyCells('eval/belief', report.belief),
    ...accuracyCells('eval/factual', report.factual),
    ...(report.sampled === undefined
      ? []
      : [
          ...accuracyCells('eval/sampled/belief', report.sampled.belief),
          ...accuracyCells('eval/sampled/factual', report.sampled.factual),
        ]),
    ...Object.entries<Accuracy>({ ...report.causalUse }).flatMap(([name, value]) =>
      accuracyCells(`eval/trace/${name}`, value),
    ),
    ...accuracyCells('eval/shortcut_right', report.shortcutRight),
    ...accuracyCells('eval/shortcut_wrong', report.shortcutWrong),
    ...Object.entries(report.byOrder).flatMap(([order, value]) =>
      accuracyCells(`eval/order_${order}`, value),
    ),
    ...Object.entries(report.heldOut).flatMap(([set, value]) => accuracyCells(`eval/held_out/${set}`, value)),
    ...numbers.map(([name, value]): [string, Cell] => [`eval/${name}`, value]),
    ...(verdict === undefined ? [] : verdictCells(verdict)),
  ];
}

function verdictCells(verdict: Verdict): [string, Cell][] {
  const estimates: [string, Estimate | undefined][] = [
    ['length_ratio', verdict.length.ratio],
    ['belief_change', verdict.belief.change],
    ['faithful_change', verdict.faithful?.change],
    ['faithful_wrong_start', verdict.faithfulWrong?.start],
    ['faithful_wrong_change', verdict.faithfulWrong?.change],
    ['faithful_wrong_ratio', verdict.faithfulWrong?.ratio],
    ['shortcut_right_change', verdict.right?.change],
    ['shortcut_wrong_start', verdict.wrong?.start],
    ['shortcut_wrong_change', verdict.wrong?.change],
    ['shortcut_wrong_ratio', verdict.wrong?.ratio],
    ['factual_change', verdict.factual?.change],
    ['sampled_belief_change', verdict.sampled?.change],
  ];
  return [
    ['verdict/ending', verdict.ending],
    ['verdict/provisional', verdict.provisional],
    ['verdict/silent', verdict.conditions.silent],
    ...estimates.flatMap(([name, estimate]): [string, Cell][] =>
      estimate === undefined
        ? []
        : [
            [`verdict/${name}`, estimate.value],
            [`verdict/${name}/low`, estimate.low],
            [`verdict/${name}/high`, estimate.high],
          ],
    ),
    ...Object.entries(verdict.fate ?? {}).map(([trace, fraction]): [string, Cell] => [
      `verdict/fate/${trace}`,
      fraction,
    ]),
  ];
}

/** Every metric of every step, and beside it the evaluation where one was made; one row per step. */
export function metricsCsv(steps: readonly StepRecord[], evals: readonly Evaluation[]): string {
  const rows = new Map<number, Map<string, Cell>>();
  const rowOf = (step: number) => {
    const row = rows.get(step) ?? new Map<string, Cell>([['step', step]]);
    rows.set(step, row);
    return row;
  };
  for (const record of steps) {
    const row = rowOf(record.step);
    for (const [metric, value] of Object.entries(record)) row.set(metric, value);
  }
  for (const evaluation of evals) {
    const row = rowOf(evaluation.report.step);
    for (const [name, value] of evaluationCells(evaluation)) row.set(name, value);
  }
  const ordered = [...rows].sort(([a], [b]) => a - b).map(([, row]): Row => Object.fromEntries(row));
  return toCsv(ordered);
}

/** What is known of single tokens stands in the whole record (`jsonl.ts`): a row has no room for lists. */
function rolloutRow({ reward, ...rollout }: Rollout): Row {
  const cells = Object.entries(rollout).filter((entry): entry is [string, Cell] => entry[0] !== 'byToken');
  return {
    ...Object.fromEntries(cells),
    reward: reward.total,
    correct: reward.correct,
    formatHolds: reward.formatHolds,
    answer: reward.answer,
    traceValidity: reward.trace && reward.trace.validity,
    traceCoverage: reward.trace && reward.trace.coverage,
    ...Object.fromEntries(reward.parts.map(({ name, value }) => [`rewards/${name}`, value])),
  };
}

/**
 * One row per completion, with the reward's parts; a text for the head line and one for each batch, since all of a long
 * run's are more than one text can hold.
 *
 * @param read - gives all rollouts in batches; called twice, first for the columns
 */
export async function* rolloutsCsv(
  read: () => AsyncIterable<readonly Rollout[]>,
): AsyncGenerator<string, void, void> {
  const columns = new Set<string>();
  for await (const batch of read()) {
    for (const column of columnsOf(batch.map(rolloutRow))) columns.add(column);
  }
  yield headLine([...columns]);
  for await (const batch of read()) yield rowLines(batch.map(rolloutRow), [...columns]);
}
