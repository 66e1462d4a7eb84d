/**
 * Everything that is kept of a run but its weights, one JSON record per line, each with its `type`: for jq, pandas and
 * scripts. A number that is not finite is null, as JSON has no word for it.
 */
import type { Rollout } from '../run/record/rollout-record';
import type { RunHistory } from '../run/record/history';

const linesOf = (records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');

/**
 * Lines of type `run`, then `step`, `eval`, `alert`, `rollout`, each in the order in which it happened.
 *
 * @param rollouts - in batches: all of a long run's are more than one text can hold
 * @returns the text in parts
 */
export async function* runJsonl(
  history: RunHistory,
  rollouts: AsyncIterable<readonly Rollout[]>,
): AsyncGenerator<string, void, void> {
  yield linesOf([{ type: 'run', ...history.record }]);
  yield linesOf(history.steps.map((record) => ({ type: 'step', ...record })));
  for (const evaluation of history.evals) yield linesOf([{ type: 'eval', ...evaluation }]);
  yield linesOf(history.alerts.map((alert) => ({ type: 'alert', ...alert })));
  for await (const batch of rollouts)
    yield linesOf(batch.map((rollout) => ({ type: 'rollout', ...rollout })));
}
