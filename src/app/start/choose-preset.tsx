/** Takes a preset into the form. */
import { presets } from '../../run/config/presets';
import type { Page } from '../page';
import { presetNames } from './preset-descriptions';

/** @param among - what it is chosen for or from, for whoever hears the button alone */
export function ChoosePreset({ page, preset, among }: { page: Page; preset: string; among: string }) {
  const isChosen = page.draft.value.preset === preset;
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      onClick={() => {
        page.draft.value = presets[preset];
        page.faults.value = new Map();
      }}
    >
      {isChosen ? 'Chosen' : 'Choose'}
      <span class="visually-hidden">
        {' '}
        “{presetNames[preset]}” {among}
      </span>
    </button>
  );
}
