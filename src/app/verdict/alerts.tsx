/** What the trainer has noticed: at which step, why, and what to do next. */
import type { Alert } from '../../run/record/events';

/** What says how the run ends, and so is hidden with the verdict. */
const endingCodes: readonly string[] = ['rl/early-warning', 'rl/thinking-lost'];

export function alertsToShow(alerts: readonly Alert[], hidesEnding: boolean): readonly Alert[] {
  return hidesEnding ? alerts.filter(({ code }) => !endingCodes.includes(code)) : alerts;
}

/** Without those that say again what the verdict says. */
export function alertsBesideVerdict(alerts: readonly Alert[], hidesEnding: boolean): readonly Alert[] {
  return alertsToShow(alerts, hidesEnding).filter(({ code }) => code !== 'rl/thinking-lost');
}

/** A run has some ten; a file may name 20,000. */
const drawnAtMost = 100;

export function AlertList({ alerts }: { alerts: readonly Alert[] }) {
  return (
    <ul class="alerts">
      {alerts.length > drawnAtMost ? <li>The last {drawnAtMost} are shown.</li> : null}
      {alerts.slice(-drawnAtMost).map((alert, index) => (
        <li key={index} class={alert.severity}>
          <b>Step {alert.step}:</b> {alert.cause} {alert.nextStep}
        </li>
      ))}
    </ul>
  );
}

/** Stands beside the verdict, below what the first screen of a run shows: nothing there is moved when there is something to say. */
export function Alerts({ alerts }: { alerts: readonly Alert[] }) {
  if (alerts.length === 0) return null;
  return (
    <details class="panel alerts" open={alerts.some(({ severity }) => severity === 'error')}>
      <summary>
        {alerts.length === 1 ? 'One thing to know' : `${alerts.length} things to know`} about this run
      </summary>
      <AlertList alerts={alerts} />
    </details>
  );
}
