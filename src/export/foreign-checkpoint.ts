/** What another program has trained, as a checkpoint: weights alone, without the optimizer's moments. */
import { newTrainerState } from '../rl/trainer-state';
import type { RunConfig } from '../run/config';
import type { Checkpoint } from '../run/events';

/**
 * @param layout of the trained tensors
 * @param values of its tensors, in their order
 * @returns the checkpoint of a run of these settings after so many steps
 */
export function foreignCheckpoint(
  config: RunConfig,
  layout: Checkpoint['policy']['layout'],
  values: readonly Float32Array[],
): (step: number) => Checkpoint {
  const parameters = joined(values);
  return (step) => ({
    version: 1,
    config,
    step,
    policy: {
      parameters,
      moment1: new Float32Array(parameters.length),
      moment2: new Float32Array(parameters.length),
      updates: 0,
      reference: null,
      layout,
    },
    trainer: { ...newTrainerState(config), evaluatedStep: step },
  });
}

function joined(parts: readonly Float32Array[]): Float32Array<ArrayBuffer> {
  const whole = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
