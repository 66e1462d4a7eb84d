/** Backend of a run, and the reason for its choice. */
import type { ChosenBackend } from '../../../workers/protocol';

const names: Record<ChosenBackend['backend'], string> = {
  webgpu: 'the GPU (WebGPU)',
  wasm: 'the CPU (WebAssembly)',
};

export function BackendLine({ choice }: { choice: ChosenBackend | null }) {
  if (choice === null) return null;
  return (
    <p class="facts">
      Runs on {names[choice.backend]}
      {choice.adapter === null ? '' : `, ${choice.adapter}`}. {choice.reason}
    </p>
  );
}
