/** How long a preset's run has taken where it, or one like it, was recorded. */
import { presets } from '../../run/config/presets';
import type { RunConfig } from '../../run/config/config';
import type { Recording } from '../start/recording';
import { answersOf, completionsOf, sameModel, secondsOf } from '../sweeps/estimate';
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
    recordings.find((recording) => sameModel(recording.config, config));
  if (known === undefined) return null;
  return {
    words: `about ${runTimeWords(secondsAsRecorded(known, config))} where it was recorded`,
    machine: known.machine,
  };
}

/** What a run would take where another of its model was recorded. */
export function secondsAsRecorded(
  { opening, elapsed, records, config }: Recording,
  asked: RunConfig,
): number {
  const training = records.reduce((sum, { step_time: time }) => sum + (time ?? 0), 0);
  const evaluating = Math.max(0, opening + elapsed[elapsed.length - 1] - training);
  const trained = training / (completionsOf(config) * config.steps);
  return secondsOf(asked, { trained, answered: evaluating / answersOf(config) });
}
