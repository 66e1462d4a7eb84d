/** Backend of a run, the reason for its choice, and the measured time per step once known. */
import type { ChosenBackend } from '../../../workers/protocol';
import { columnOf, type StepRows } from '../../run/record/step-table';
import { stepSeconds } from '../../run/estimate';
import { roughly } from '../ui/numbers';

const names: Record<ChosenBackend['backend'], string> = {
  webgpu: 'the GPU (WebGPU)',
  wasm: 'the CPU (WebAssembly)',
};

/** Minimum steps for a measurement, since the first steps also compile kernels and fill caches. */
const leastSteps = 3;

export function BackendLine(props: { choice: ChosenBackend | null; records: StepRows; isOfSweep: boolean }) {
  const { choice, records, isOfSweep } = props;
  if (choice === null) return null;
  const measured = measuredWords(records);
  return (
    <p class="facts">
      {measured === '' ? 'Runs' : 'Ran'} on {names[choice.backend]}
      {choice.adapter === null ? '' : `, ${choice.adapter}`}
      {measured === '' ? '. ' : `: ${measured}. `}
      {isOfSweep ? choice.reason.replace('this run', 'the sweep that it belongs to') : choice.reason}
    </p>
  );
}

/** `150 steps took 76 s, 0.51 s each, evaluations left out`; empty with fewer than `leastSteps` timed steps. */
export function measuredWords(records: StepRows): string {
  const storing = columnOf(records, 'time/store');
  const seconds = columnOf(records, 'step_time').flatMap(
    (time, index) => stepSeconds({ step_time: time, 'time/store': storing[index] }) ?? [],
  );
  const count = seconds.length;
  if (count < leastSteps) return '';
  const total = seconds.reduce((sum, one) => sum + one, 0);
  const mean = total / count;
  const each = `${mean < 10 ? mean.toPrecision(2) : mean.toFixed(0)} s`;
  return `${count} steps took ${roughly(total)}, ${each} each, evaluations left out`;
}
