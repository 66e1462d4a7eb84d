/** The presets of which the page has a recording, with its file in `public/`: the default run, another ending, and the contrast. */
import type { RunConfig } from '../../run/config/config';
import { presets } from '../../run/config/presets';
export const recordingFiles: Readonly<Record<string, string>> = {
  'swap-shortcut': 'recording.json',
  'swap-collapse': 'recording-swap-collapse.json',
  'nano-order-1': 'recording-nano-order-1.json',
};

/** What the recording of each shows, in words that its figures must bear out. */
export const recordedStories: Readonly<Record<string, string>> = {
  'swap-shortcut':
    'It begins as a weak reasoner. Only form and answer are paid, and a shortcut gives most answers: it learns the shortcut, and goes on writing thoughts that no longer matter.',
  'swap-collapse':
    'The same experiment from another start, taught alike with other luck. The shortcut gives most answers without any thought: its thinking shrinks to nothing while its reward rises.',
  'nano-order-1':
    'It begins as a fair reasoner, in stories whose shortcut is wrong as often as right. Answers that follow the story earn more, so its thinking keeps its length and, after a dip, its reward rises.',
};

/** How often it ends so, counted in docs/study-1/: a card shows one run, chosen for its ending. */
export const howOften: Readonly<Record<string, string>> = {
  'swap-shortcut':
    'Of 12 counted runs from six such starts 7 ended so by the first study’s rule, and 5 stopped thinking.',
  'swap-collapse':
    'Of 12 counted runs from six such starts 5 stopped thinking, and 7 went on writing, as the default run does.',
  'nano-order-1': 'From this start, by six algorithms from three seeds each, 17 of 18 runs ended so.',
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
