/** Fills the form of Train and goes there. */
import type { RunConfig } from '../../run/config/config';
import type { Page } from './page';

/** @param tab - part of Train to open: `model` for the choice of a model, `train` to focus the button */
export function fillForm(
  { faults, session, draft, places }: Pick<Page, 'faults' | 'session' | 'draft' | 'places'>,
  config: RunConfig,
  tab?: 'model' | 'train',
): void {
  const isIdle = session.activity.value === 'idle';
  faults.value = new Map();
  if (isIdle) session.shown.value = null; // otherwise Train shows the run that was opened last
  draft.value = config;
  places.go(tab === undefined || !isIdle ? { name: 'run' } : { name: 'run', tab }); // no button takes the focus of a run
}
