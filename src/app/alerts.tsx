/** What the trainer has noticed: at which step, why, and what to do next. */
import type { Alert } from '../run/events';
import type { HideablePart } from '../share/link-extras';

/** What says how the run ends, and so is hidden with the verdict. */
const endingCodes: readonly string[] = ['rl/early-warning', 'rl/collapse', 'rl/decorated'];

export function alertsToShow(alerts: readonly Alert[], hidden: readonly HideablePart[]): readonly Alert[] {
  return hidden.includes('collapse') ? alerts.filter(({ code }) => !endingCodes.includes(code)) : alerts;
}

export function AlertList({ alerts }: { alerts: readonly Alert[] }) {
  return (
    <ul class="alerts">
      {alerts.map((alert, index) => (
        <li key={index} class={alert.severity}>
          <b>Step {alert.step}:</b> {alert.cause} {alert.nextStep}
        </li>
      ))}
    </ul>
  );
}

export function Alerts({ alerts }: { alerts: readonly Alert[] }) {
  // Its line is kept free: nothing moves when there is something to say.
  if (alerts.length === 0) return <p class="alerts facts">Nothing to know about this run so far.</p>;
  return (
    <details class="alerts" open={alerts.some((alert) => alert.severity === 'error')}>
      <summary>
        {alerts.length === 1 ? 'One thing to know' : `${alerts.length} things to know`} about this run
      </summary>
      <AlertList alerts={alerts} />
    </details>
  );
}
