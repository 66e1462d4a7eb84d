/**
 * The weights in a run's checkpoint as files for other programs, without the model itself: a policy's state is one flat
 * array, and says which tensors stand in it and what the adapter is that they make.
 */
import { MarbleError } from '../../base/error';
import { adapterFiles } from './adapter-files';
import { toBfloat16 } from './half-floats';
import type { PolicyState } from '../policy';
import { writeSafetensors, type TensorToWrite } from './safetensors';
import { elementsOf } from './tensor-table';

/**
 * The files of what a run has trained: a PEFT adapter with the scale that it was trained with, or `model.safetensors` to
 * put beside the model's other files.
 *
 * @param dtype that the values are written in, rounded to nearest
 * @throws MarbleError `model/saved-weights` where the state does not say what it holds, or holds another number of values
 */
export function savedWeights(
  { parameters, layout }: Pick<PolicyState, 'parameters' | 'layout'>,
  dtype: 'F32' | 'BF16' = 'F32',
): Record<string, Blob> {
  if (layout === undefined) {
    throw new MarbleError(
      'model/saved-weights',
      'This checkpoint was kept by an earlier version, which did not note what its values are.',
      'Resume the run for a step: its next checkpoint says so.',
    );
  }
  const whole = layout.tensors.reduce((sum, tensor) => sum + elementsOf(tensor), 0);
  if (whole !== parameters.length) {
    throw new MarbleError(
      'model/saved-weights',
      `The checkpoint has ${parameters.length} trained values, and tensors for ${whole}.`,
      'The checkpoint is damaged: open another one of the run, or run it again from its seed.',
    );
  }
  let offset = 0;
  const tensors = layout.tensors.map((tensor): TensorToWrite => {
    const values = parameters.slice(offset, (offset += elementsOf(tensor)));
    const data = dtype === 'BF16' ? toBfloat16(values) : values;
    return { name: tensor.name, shape: [...tensor.shape], dtype, data };
  });
  return layout.adapter === null
    ? { 'model.safetensors': writeSafetensors(tensors) }
    : adapterFiles(layout.adapter, tensors);
}
