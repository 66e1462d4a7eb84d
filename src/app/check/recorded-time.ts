/** How long a preset's run has taken where it, or one like it, was recorded. */
import { presets } from '../../run/config/presets';
import type { RunConfig } from '../../run/config/config';
import type { Recording } from '../start/recording';
import { answersOf, completionsOf } from '../sweeps/estimate';
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
  return {
    words: `about ${runTimeWords(secondsAsRecorded(known, config))} where it was recorded`,
    machine: known.machine,
  };
}

/**
 * What a run would take where another of its model was recorded: its steps by their completions, and its evaluations,
 * of which the two at the ends do not shrink with the steps, by the answers that they ask for.
 */
export function secondsAsRecorded(
  { opening, elapsed, records, evals, config }: Recording,
  asked: RunConfig,
): number {
  const training = records.reduce((sum, { step_time: time }) => sum + (time ?? 0), 0);
  const report = evals.at(-1)?.report;
  const besides = [report?.validation, ...Object.values(report?.heldOut ?? {})];
  const perLookItem = besides.reduce((sum, set) => sum + (set?.count ?? 0), 0) / config.evaluation.items;
  const completions = (of: RunConfig): number => completionsOf(of) * of.steps;
  const evaluating = Math.max(0, opening + elapsed[elapsed.length - 1] - training);
  return (
    (training * completions(asked)) / completions(config) +
    (evaluating * answersOf(asked, perLookItem)) / answersOf(config, perLookItem)
  );
}
