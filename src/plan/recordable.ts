/**
 * Refuses a run, before it begins, if its records would exceed the limits of their schemas. The names, orders and kinds of a data set are in
 * every report, so a report without answers has all of them.
 */
import * as v from 'valibot';
import { MarbleError } from '../base/error';
import { unansweredReport } from '../rl/evaluate/evaluate';
import { openItems, type ImportedItems } from '../rl/data';
import { requirement } from '../run/config/check-config';
import { MOST_COLUMNS } from '../run/config/field-schemas';
import type { RunConfig } from '../run/config/config';
import { evaluationsAfter } from '../run/config/evaluation-plan';
import { evaluationSchema, type EvalReport } from '../run/record/evaluation';
import { MOST_HISTORY } from '../run/record/record-limits';
import { rolloutSchema } from '../run/record/rollout-record';
import type { Item } from '../tom/item';

/** Bytes of a step's record, and of a completion of a report in addition to its prompt. */
const STEP_BYTES = 2_000;
const COMPLETION_BYTES = 4_000;

/** The fields of a rollout that its item determines. */
const itemSchema = v.pick(rolloutSchema, ['itemId', 'order', 'goldAnswer', 'shortcutAnswer']);

/** @returns the error that the run would end in at its first record or checkpoint; null if there is none */
export function refuseUnrecordable(config: RunConfig, imported: ImportedItems = {}): MarbleError | null {
  const { suite } = openItems(config, imported);
  const items = [...(imported.training ?? []), ...(imported.evaluation ?? [])];
  const report = unansweredReport(suite);
  const fault = itemFault(items) ?? reportFault(report) ?? columnsFault(report, items);
  if (fault !== null) {
    const nextStep = 'Change these values in the data set and import it again, or choose another one.';
    return new MarbleError(
      'rl/not-recordable',
      `The records of this run cannot hold its data: ${fault}.`,
      nextStep,
    );
  }
  const bytes = historyBytes(
    config,
    report,
    unansweredReport({ ...suite, items: suite.items.slice(0, suite.lookItems) }),
  );
  if (bytes <= MOST_HISTORY) return null;
  return new MarbleError(
    'rl/not-recordable',
    `The steps and evaluations of this run would take about ${Math.ceil(bytes / 1e6)} MB, and its file holds ${Math.floor(MOST_HISTORY / 1e6)} MB.`,
    'Evaluate less often or on fewer questions, or train fewer steps.',
  );
}

function itemFault(items: readonly Item[]): string | null {
  for (const item of items) {
    const { id: itemId, order, answer: goldAnswer, shortcut: shortcutAnswer = null } = item;
    const fields = { itemId, order, goldAnswer, shortcutAnswer };
    const fault = faultOf(itemSchema, fields);
    if (fault !== null) return `${fault} of the question ${itemId.slice(0, 100)}`;
  }
  return null;
}

const reportFault = (report: EvalReport): string | null => faultOf(evaluationSchema, { report });

/** A metric for each order of a step, and the names of the evaluations. */
function columnsFault({ byOrder, heldOut }: EvalReport, items: readonly Item[]): string | null {
  const orders = new Set(items.map(({ order }) => order));
  const names = new Set([...Object.keys(byOrder), ...Object.keys(heldOut)]);
  const columns = orders.size + names.size;
  // Half of the columns are left for the metrics that every run has.
  return columns <= MOST_COLUMNS / 2 ? null : `it has ${columns} different orders and sets`;
}

function faultOf(schema: v.GenericSchema, value: unknown): string | null {
  const result = v.safeParse(schema, value, { abortEarly: true });
  if (result.success) return null;
  const [issue] = result.issues;
  return `${v.getDotPath(issue) ?? 'a value'} must be ${requirement(issue)}`;
}

function historyBytes(config: RunConfig, last: EvalReport, look: EvalReport): number {
  const size = (report: EvalReport): number =>
    JSON.stringify(report).length + report.samples.length * COMPLETION_BYTES;
  const evaluations = evaluationsAfter(-1, config);
  return config.steps * STEP_BYTES + evaluations.look * size(look) + evaluations.ends * size(last);
}
