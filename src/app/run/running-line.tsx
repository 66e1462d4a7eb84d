/** One line about the run that trains, on the pages that do not show it. */
import type { Page } from '../page/page';
import { secondsUntilEnd } from '../page/tab-title';
import { stepsTaken } from '../session/run-view';
import { roughly } from '../ui/numbers';
import { preparingWords, statusWords } from './run-panel';

export function RunningLine({ session, ladder, places }: Pick<Page, 'session' | 'ladder' | 'places'>) {
  const activity = session.activity.value;
  const here = places.place.value.name;
  const home = ladder.isOn.value ? 'ladder' : 'run';
  if (activity === 'idle' || here === 'run' || here === home) return null;
  const view = session.shown.value;
  const left = activity === 'running' ? secondsUntilEnd(session, ladder) : null;
  const owner = activity === 'watching' ? 'The run of another tab' : 'Your run';
  const words =
    view === null
      ? preparingWords(activity, session.stage.value)
      : statusWords(activity, stepsTaken(view), view.config.steps, session.stage.value);
  return (
    <p class="spread framed on-screen">
      <span>
        <b>{home === 'ladder' ? 'The small models' : owner}</b>: {words}
        {left === null ? '' : `, about ${roughly(left)} left`}
      </span>
      <button onClick={() => places.go({ name: home })}>
        {home === 'ladder' ? 'Back to the models' : 'Back to the run'}
      </button>
    </p>
  );
}
