/** What a check of this computer has found, in words. */
import type { ComputerCheck, PresetCost } from '../../../workers/protocol';
import { presets } from '../../run/config/presets';
import { sizeWords } from '../words/sizes';
import { presetNames } from '../words/preset-names';
import { roughly } from '../ui/numbers';
import type { Recording } from '../page/recording';
import { sameModel } from '../../run/config/config';
import { estimateRun, secondsAsRecorded, type RunEstimate } from './run-estimate';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `3 min`, `2 h 10 min`, `12 days`. */
export function runTimeWords(seconds: number): string {
  return seconds < 2 * DAY ? roughly(seconds) : `${Math.round(seconds / DAY)} days`;
}

/** Whether one would begin it, in a few words. */
function worthWords(seconds: number): string {
  if (seconds < 20 * MINUTE) return 'while you watch';
  if (seconds < 3 * HOUR) return 'beside other work';
  if (seconds < DAY) return 'overnight';
  return 'too slow here';
}

export function presetVerdict(preset: string, check: ComputerCheck): string {
  const estimate = estimateRun(presets[preset], check);
  if (estimate !== null) {
    return `about ${runTimeWords(estimate.seconds)} on ${backendWords(estimate, check)}: ${worthWords(estimate.seconds)}`;
  }
  const failed = check.times.find((time) => time.preset === preset && time.error !== null);
  if (failed?.error) return `not here: ${failed.error.message}`;
  if (check.adapter === null) return 'not here: this browser offers no WebGPU, and the CPU would take weeks';
  return 'not timed: the check was stopped before it';
}

function backendWords({ backend }: RunEstimate, { adapter }: ComputerCheck): string {
  return backend === 'webgpu' ? (adapter ?? 'the GPU') : 'the CPU';
}

/** Not the model's size alone: a small one that answers much at once takes more than a large one that answers little. */
export function memoryWords({ memory, modelMemory }: Pick<PresetCost, 'memory' | 'modelMemory'>): string {
  return `about ${sizeWords(memory)}: ${sizeWords(modelMemory)} the model and its optimiser, the rest the answers that it samples or learns from at once`;
}

export function computerVerdict(check: ComputerCheck): string {
  const timesOf = (isSmall: boolean): number[] =>
    Object.values(presets)
      .filter(({ model }) => (model.kind === 'embedded') === isSmall)
      .flatMap((config) => estimateRun(config, check)?.seconds ?? []);
  const small = timesOf(true);
  const large = timesOf(false);
  const smallWords =
    small.length === 0
      ? 'None of the small models could be timed here.'
      : `A run of the small models takes ${rangeWords(small)} here: ${worthWords(Math.max(...small))}.`;
  const largeWords =
    large.length > 0
      ? `The full-size runs (0.5 billion parameters) take ${rangeWords(large)} on ${check.adapter}: ${worthWords(Math.min(...large))}.`
      : check.adapter === null
        ? 'This browser offers no WebGPU: the full-size runs (0.5 billion parameters) are not for this computer.'
        : 'The full-size runs (0.5 billion parameters) could not be timed.';
  return `${smallWords} ${largeWords}`;
}

function rangeWords(seconds: readonly number[]): string {
  const [least, most] = [runTimeWords(Math.min(...seconds)), runTimeWords(Math.max(...seconds))];
  return least === most ? `about ${least}` : `${least} to ${most}`;
}

export function checkText(check: ComputerCheck): string {
  const day = new Date(check.checkedAt).toISOString().slice(0, 10);
  const lines = check.costs.map(
    ({ preset }) => `${presetNames[preset]} (${preset}): ${presetVerdict(preset, check)}`,
  );
  return [
    `Marble on this computer, ${day}${check.adapter === null ? '' : `, ${check.adapter}`}`,
    computerVerdict(check),
    '',
    ...lines,
  ].join('\n');
}

/** What a recorded run has taken: of the preset itself, or of one that trains the same model, by its completions. */
export function recordedTime(preset: string, recordings: readonly Recording[]): string | null {
  const config = presets[preset];
  const known =
    recordings.find((recording) => recording.config.preset === preset) ??
    recordings.find((recording) => sameModel(recording.config, config));
  return known === undefined
    ? null
    : `about ${runTimeWords(secondsAsRecorded(known, config))} where it was recorded (${known.machine})`;
}
