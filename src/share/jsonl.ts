/**
 * Everything that is kept of a run but its weights, one JSON record per line, each with its `type`: for jq, pandas and
 * scripts. A number that is not finite is null, as JSON has no word for it.
 */
import type { Rollout } from '../run/events';
import type { RunHistory } from '../store/records';

/** @returns lines of type `run`, then `step`, `eval`, `alert`, `rollout`, each in the order in which it happened */
export function runJsonl(history: RunHistory, rollouts: readonly Rollout[]): string {
  const lines = [
    { type: 'run', ...history.record },
    ...history.steps.map((record) => ({ type: 'step', ...record })),
    ...history.evals.map((evaluation) => ({ type: 'eval', ...evaluation })),
    ...history.alerts.map((alert) => ({ type: 'alert', ...alert })),
    ...rollouts.map((rollout) => ({ type: 'rollout', ...rollout })),
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}
