/** Checks whether a run fits into the memory of this computer. */
import { lessMemory, MarbleError } from '../base/error';
import type { Engine } from '../gpu/engine';
import { MOST_HEAP_BYTES } from '../gpu/wasm-heap';
import { megabytes, type RunPlan } from '../run/estimate';

/**
 * The resource that a plan exceeds, as an error that names the settings to lower; null if the run fits. A GPU does not
 * report its amount of memory.
 */
export function refusalOf(
  { bytes, largest }: RunPlan,
  { backend, capabilities }: Pick<Engine, 'backend' | 'capabilities'>,
): MarbleError | null {
  const refuse = (code: 'model/memory-too-small' | 'model/adapter-too-small', message: string) =>
    new MarbleError(code, message, lessMemory);
  if (backend === 'wasm' && bytes.peak > MOST_HEAP_BYTES) {
    return refuse(
      'model/memory-too-small',
      `The run needs ${megabytes(bytes.peak)} of memory, and the CPU backend holds at most ${megabytes(MOST_HEAP_BYTES)}.`,
    );
  }
  if (capabilities === null) return null;
  for (const [needed, most] of [
    [largest.allocated, capabilities.maxBufferBytes],
    [largest.bound, capabilities.maxBindingBytes],
  ]) {
    if (needed <= most) continue;
    return refuse(
      'model/adapter-too-small',
      `The run needs a buffer of ${megabytes(needed)}, and this graphics adapter takes at most ${megabytes(most)} at once.`,
    );
  }
  return null;
}
