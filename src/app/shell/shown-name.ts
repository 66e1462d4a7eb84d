/** What a run is called on the page: where the ending is hidden, nothing that tells it. */
import type { RunConfig } from '../../run/config';
import { presets } from '../../run/presets';
import { nameWithoutPreset, runName } from '../../share/name';
import { isHidden } from './is-hidden';
import type { Page } from '../page';

/** The name of a preset says how its run ends, and so is hidden with the verdict. */
export const hidesEnding = (page: Page): boolean => isHidden(page, 'collapse');

/** @param most - differences from the preset that are named; four where left out */
export function shownName(page: Page, config: RunConfig, most?: number): string {
  return hidesEnding(page) ? nameWithoutPreset(config, presets, most) : runName(config, presets, most);
}
