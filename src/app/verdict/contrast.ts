/** The recorded run that a run is best seen beside: what stops thinking beside what thinks better, and the other way round. */
import type { RunConfig } from '../../run/config';
import { presets } from '../../run/presets';

export interface Contrast {
  label: string;
  config: RunConfig;
}

const thinksBetter = 'nano-order-1';
const stopsThinking = 'swap-collapse';

export function contrastOf({ preset }: RunConfig): Contrast {
  return preset === thinksBetter
    ? { label: 'Now one that stops thinking', config: presets[stopsThinking] }
    : { label: 'Now one that thinks better', config: presets[thinksBetter] };
}
