/**
 * All data of a run except its weights as JSON Lines, for jq, pandas and scripts. Each record has a `type`. Numbers that are
 * not finite become null, since JSON cannot represent them.
 */
import type { Rollout } from '../run/record/rollout-record';
import type { RunHistory } from '../run/record/history';

/** Steps in one part of the text. */
const STEPS_AT_ONCE = 500;

const linesOf = (records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');

/** A metric of another program may be named `type` too, and does not replace that of the line. */
const line = (type: string, record: object): object => Object.assign({ type }, record, { type });

/**
 * Writes lines of type `run`, `step`, `eval`, `alert` and `rollout`, in this order. Lines of a type are in chronological order.
 *
 * @param rollouts in batches, since the text for a long run exceeds the maximum string length
 * @yields the text in parts
 */
export async function* runJsonl(
  history: RunHistory,
  rollouts: Iterable<readonly Rollout[]> | AsyncIterable<readonly Rollout[]>,
): AsyncGenerator<string, void, void> {
  yield linesOf([line('run', history.record)]);
  for (let first = 0; first < history.steps.length; first += STEPS_AT_ONCE) {
    yield linesOf(history.steps.slice(first, first + STEPS_AT_ONCE).map((record) => line('step', record)));
  }
  for (const evaluation of history.evals) yield linesOf([line('eval', evaluation)]);
  yield linesOf(history.alerts.map((alert) => line('alert', alert)));
  for await (const batch of rollouts) yield linesOf(batch.map((rollout) => line('rollout', rollout)));
}
