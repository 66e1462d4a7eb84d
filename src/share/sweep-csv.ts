/** A sweep as CSV with one row per run and a column for the arm. */
import type { RunConfig } from '../run/config/config';
import type { Change, RunSummary } from '../run/record/summary';
import { toCsv, type Row } from './csv';

export interface SweepRow {
  /** Student of a class to whom the run belongs. */
  student?: string;
  arm: string;
  config: RunConfig;
  /** Id of the stored run; null if it has not started. */
  id: string | null;
  status: string | null;
  /** Null before the first evaluation. */
  summary: RunSummary | null;
}

export function sweepCsv(rows: readonly SweepRow[]): string {
  return toCsv(
    rows.map(({ student, arm, config, id, status, summary }) => ({
      ...(student !== undefined && { student }),
      arm,
      seed: config.seed,
      run: id,
      status,
      ...(summary && summaryCells(summary)),
    })),
  );
}

/** A figure of the summary without a column is an error of types. */
function summaryCells(summary: RunSummary): Row {
  const { steps, start, seconds, verdict, shortcutLine, heldOut, alerts, ...changes } = summary;
  const columns: Record<keyof typeof changes, string> = {
    accuracy: 'accuracy',
    easy: 'shortcut_right',
    hard: 'shortcut_wrong',
    responseLength: 'response_length',
    thinkLength: 'think_length',
    traceValidity: 'trace_validity',
    faithful: 'faithful_traces',
    faithfulHard: 'faithful_traces_shortcut_wrong',
  };
  const names = Object.keys(columns) as (keyof typeof columns)[];
  return {
    steps,
    // The step of the figures that end in /from.
    start,
    // A result code has no duration.
    seconds: seconds > 0 ? seconds : null,
    verdict: verdict?.ending ?? null,
    verdict_since: verdict?.since ?? null,
    verdict_provisional: verdict?.provisional ?? null,
    silent: verdict?.silent ?? null,
    ...(verdict?.kept && {
      kept: verdict.kept.value,
      'kept/low': verdict.kept.low,
      'kept/high': verdict.kept.high,
    }),
    ...Object.fromEntries(names.flatMap((name) => fromTo(columns[name], changes[name]))),
    ...(shortcutLine !== null && { shortcut_line: shortcutLine }),
    ...Object.fromEntries(
      Object.entries(heldOut).flatMap(([set, change]) => fromTo(`held_out/${set}`, change)),
    ),
    alerts: alerts.join(' '),
  };
}

function fromTo(name: string, change: Change | null): [column: string, value: number][] {
  if (change === null) return [];
  return [
    [`${name}/from`, change.from],
    [`${name}/to`, change.to],
  ];
}
