/** How long a preset's run has taken where it, or one like it, was recorded. */
import { presets } from '../../run/presets';
import type { Recording } from '../recording';
import { completionsOf } from '../sweeps/estimate';
import { runTimeWords } from './check-words';

export interface RecordedTime {
  /** `about 2 min where it was recorded` */
  words: string;
  machine: string;
}

/** What a recorded run has taken: of the preset itself, or of one that trains the same model, by its completions. */
export function recordedTime(preset: string, recordings: readonly Recording[]): RecordedTime | null {
  const config = presets[preset];
  const known =
    recordings.find((recording) => recording.config.preset === preset) ??
    recordings.find((recording) => JSON.stringify(recording.config.model) === JSON.stringify(config.model));
  if (known === undefined) return null;
  const work = (of: typeof config): number => completionsOf(of) * of.steps;
  const seconds = (known.seconds * work(config)) / work(known.config);
  return { words: `about ${runTimeWords(seconds)} where it was recorded`, machine: known.machine };
}
