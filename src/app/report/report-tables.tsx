/** Tables of a report: summary, settings and machine. */
import type { RunConfig } from '../../run/config/config';
import { presetOf } from '../../run/config/presets';
import type { Change, RunSummary } from '../../run/record/summary';
import { differences, fieldsOf } from '../../run/config/fields';
import { percent, plainNumber, roughly } from '../ui/numbers';
import { FieldList, Table } from '../ui/table';

export function SummaryTable({ summary }: { summary: RunSummary }) {
  const rows: [name: string, change: Change | null, format: (value: number) => string][] = [
    ['accuracy, all questions', summary.accuracy, percent],
    ['easy questions', summary.easy, percent],
    ['hard questions', summary.hard, percent],
    ['tokens per completion', summary.responseLength, plainNumber],
    ['tokens of thinking', summary.thinkLength, plainNumber],
    ['statements that are true', summary.traceValidity, percent],
    ['correct reasoning', summary.faithful, percent],
    ['correct reasoning on hard questions', summary.faithfulHard, percent],
  ];
  const { timeShares, referenceShare } = summary;
  const shares = Object.entries(timeShares).map(([phase, share]) =>
    phase === 'update' && referenceShare > 0
      ? `${phase} ${percent(share)} (${percent(referenceShare)} for the reference)`
      : `${phase} ${percent(share)}`,
  );
  return (
    <section class="panel" aria-labelledby="in-numbers">
      <h2 id="in-numbers">In numbers</h2>
      <Table
        class="evaluation"
        head={['On test questions, greedy', `step ${summary.start}`, 'last']}
        rows={rows.flatMap(([name, change, format]) =>
          change === null ? [] : [[name, format(change.from), format(change.to)]],
        )}
      />
      <p class="explain">
        {summary.steps} steps took {roughly(summary.seconds)}, evaluations not counted: {shares.join(', ')}.
        {summary.shortcutLine === null
          ? null
          : ` The shortcut alone would score ${percent(summary.shortcutLine)}.`}
      </p>
    </section>
  );
}

/** All settings, with differences from the preset in bold. */
export function ConfigTable({ config }: { config: RunConfig }) {
  const base = presetOf(config) ?? config;
  const changed = differences(config, base);
  return (
    <section class="panel" aria-labelledby="all-settings">
      <h2 id="all-settings">Settings</h2>
      <p class="explain">
        {changed.size === 0 ? 'All as in the preset.' : 'What differs from the preset is in bold.'}
      </p>
      <FieldList
        class="fields"
        fields={[...fieldsOf(config)].map(([path, value]) => [
          path,
          changed.has(path) ? <b>{value}</b> : value,
        ])}
      />
    </section>
  );
}

const byPath = ([one]: [string, string], [other]: [string, string]): number =>
  one.localeCompare(other, 'en', { numeric: true });

/** The unfiltered machine record. A file may hold any value, so values are shown as plain text. */
export function MachineTable({ machine }: { machine: Record<string, unknown> }) {
  return (
    <section class="panel" aria-labelledby="machine">
      <h2 id="machine">Where it ran</h2>
      <FieldList class="fields" fields={flat(machine).sort(byPath)} />
    </section>
  );
}

/** Returns the path and text of every value. Skips null and undefined, and rounds numbers. */
export function flat(value: unknown, path = ''): [path: string, value: string][] {
  if (value === null || value === undefined) return [];
  if (typeof value === 'number') return [[path, plainNumber(value)]];
  if (typeof value === 'string' || typeof value === 'boolean') return [[path, String(value)]];
  return Object.entries(value).flatMap(([name, part]) => flat(part, path === '' ? name : `${path}.${name}`));
}
