/** The presets of which the page has a recording, with its file in `public/`: the default run, another ending, and the contrast. */
import type { RunConfig } from '../../run/config/config';
import { presets } from '../../run/config/presets';
export const recordingFiles: Readonly<Record<string, string>> = {
  'swap-shortcut': 'recording.json',
  'swap-collapse': 'recording-swap-collapse.json',
  'nano-order-1': 'recording-nano-order-1.json',
};

interface Contrast {
  label: string;
  config: RunConfig;
}

const thinksBetter = 'nano-order-1';
const stopsThinking = 'swap-collapse';

/** The recorded run that a run is best seen beside: what stops thinking beside what thinks better, and the other way round. */
export function contrastOf({ preset }: RunConfig): Contrast {
  return preset === thinksBetter
    ? { label: 'Now one that stops thinking', config: presets[stopsThinking] }
    : { label: 'Now one that thinks better', config: presets[thinksBetter] };
}
