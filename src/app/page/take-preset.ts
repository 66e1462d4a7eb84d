/** Fills the form of Train with a preset and goes there. */
import { presets } from '../../run/config/presets';
import type { Page } from './page';

/** @param tab - part of Train to open: `model` for the choice of a model */
export function takePreset(page: Page, preset: string, tab?: string): void {
  page.faults.value = new Map();
  page.session.shown.value = null; // otherwise Train shows the run that was opened last
  page.draft.value = presets[preset];
  page.places.go(tab === undefined ? { name: 'run' } : { name: 'run', tab });
}
