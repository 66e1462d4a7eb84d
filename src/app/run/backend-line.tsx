/** Backend of a run, the reason for its choice, and the measured time per step once known. */
import type { ChosenBackend } from '../../../workers/protocol';
import type { Timing } from '../../run/estimate';
import { roughly } from '../ui/numbers';

const names: Record<ChosenBackend['backend'], string> = {
  webgpu: 'the GPU (WebGPU)',
  wasm: 'the CPU (WebAssembly)',
};

/** Minimum steps for a measurement, since the first steps also compile kernels and fill caches. */
const leastSteps = 3;

export function BackendLine(props: { choice: ChosenBackend | null; timing: Timing; isOfSweep: boolean }) {
  const { choice, timing, isOfSweep } = props;
  if (choice === null) return null;
  const measured = measuredWords(timing);
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
export function measuredWords({ records, timed, seconds, first, last }: Timing): string {
  if (timed < leastSteps) return '';
  const mean = seconds / timed;
  // Another program may log every tenth step.
  const steps = timed < records ? timed : last - first + 1;
  const each = `${mean < 10 ? mean.toPrecision(2) : mean.toFixed(0)} s`;
  return `${steps} steps took ${roughly(steps * mean)}, ${each} each, evaluations left out`;
}
