/** Alerts of the trainer: step, cause and next step. */
import type { Alert } from '../../run/record/events';

/** Alerts without that of the verdict, and without one that reveals the ending if it is hidden (of earlier versions). */
export function alertsToShow(alerts: readonly Alert[], hidesEnding: boolean): readonly Alert[] {
  const told = hidesEnding ? ['rl/thinking-lost', 'rl/early-warning'] : ['rl/thinking-lost'];
  return alerts.filter(({ code }) => !told.includes(code));
}

/** A run has about ten alerts. A file may hold 20,000. */
const drawnAtMost = 100;

/** Placed below the first screen of a run, since a new alert would shift the content after it. */
export function Alerts({ alerts }: { alerts: readonly Alert[] }) {
  if (alerts.length === 0) return null;
  return (
    <details class="panel alerts" open={alerts.some(({ severity }) => severity === 'error')}>
      <summary>
        {alerts.length === 1 ? 'One thing to know' : `${alerts.length} things to know`} about this run
      </summary>
      <ul class="stack tight">
        {alerts.length > drawnAtMost ? <li>The last {drawnAtMost} are shown.</li> : null}
        {alerts.slice(-drawnAtMost).map((alert, index) => (
          <li key={index} class={alert.severity}>
            <b>Step {alert.step}:</b> {alert.cause} {alert.nextStep}
          </li>
        ))}
      </ul>
    </details>
  );
}
