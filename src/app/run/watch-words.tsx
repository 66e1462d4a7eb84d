/** The sentence on where to look in a first run; nothing where it would tell the ending. */
import type { RunConfig } from '../../run/config/config';
import { watchWords } from '../../run/config/presets';
import { hidesEnding } from '../page/hiding';
import type { Page } from '../page/page';

export function WatchWords({ page, config: { preset } }: { page: Page; config: RunConfig }) {
  if (hidesEnding(page) || !Object.hasOwn(watchWords, preset)) return null;
  return <p class="what">{watchWords[preset]}</p>;
}
