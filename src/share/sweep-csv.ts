/** A sweep as CSV with one row per run and a column for the arm. */
import type { RunConfig } from '../run/config/config';
import type { Change, RunSummary } from '../run/record/summary';
import { toCsv } from './csv';

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
      ...(summary && {
        steps: summary.steps,
        // A result code has no duration.
        seconds: summary.seconds > 0 ? summary.seconds : null,
        verdict: summary.verdict && summary.verdict.ending,
        verdict_since: summary.verdict && summary.verdict.since,
        verdict_provisional: summary.verdict && summary.verdict.provisional,
        silent: summary.verdict && summary.verdict.silent,
        ...(summary.verdict?.kept && {
          kept: summary.verdict.kept.value,
          'kept/low': summary.verdict.kept.low,
          'kept/high': summary.verdict.kept.high,
        }),
        ...(summary.accuracy && fromTo('accuracy', summary.accuracy)),
        ...(summary.easy && fromTo('shortcut_right', summary.easy)),
        ...(summary.hard && fromTo('shortcut_wrong', summary.hard)),
        ...(summary.responseLength && fromTo('response_length', summary.responseLength)),
        ...(summary.thinkLength && fromTo('think_length', summary.thinkLength)),
        ...(summary.traceValidity && fromTo('trace_validity', summary.traceValidity)),
        ...(summary.faithful && fromTo('faithful_traces', summary.faithful)),
        ...(summary.faithfulHard && fromTo('faithful_traces_shortcut_wrong', summary.faithfulHard)),
      }),
    })),
  );
}

function fromTo(name: string, { from, to }: Change): Record<string, number> {
  return { [`${name}/from`]: from, [`${name}/to`]: to };
}
