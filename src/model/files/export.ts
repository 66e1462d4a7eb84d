/**
 * Exports the weights of a checkpoint as files for other programs. The policy's state consists of a flat array and its layout
 * (tensors and adapter), so the export does not need the model.
 */
import { MarbleError } from '../../base/error';
import { adapterFiles } from './adapter-files';
import { requireFinite } from './half-floats';
import type { PolicyState } from '../policy';
import { elementsOf, writeSafetensors, type TensorToWrite } from './safetensors';

/**
 * Files of the trained weights: a PEFT adapter, or `model.safetensors` for use with the model's other files.
 *
 * @throws MarbleError `model/saved-weights` if the state has no layout or another number of values than its layout,
 *   `model/weights-not-finite`
 */
export function savedWeights({
  parameters,
  layout,
}: Pick<PolicyState, 'parameters' | 'layout'>): Record<string, Blob> {
  if (layout === undefined) {
    throw new MarbleError(
      'model/saved-weights',
      'An earlier version of Marble wrote this checkpoint without a description of its values.',
      'Resume the run for one step: its next checkpoint has the description.',
    );
  }
  const whole = layout.tensors.reduce((sum, tensor) => sum + elementsOf(tensor), 0);
  if (whole !== parameters.length) {
    throw new MarbleError(
      'model/saved-weights',
      `The checkpoint has ${parameters.length} trained values, but its tensors need ${whole}.`,
      'The checkpoint is damaged: open another one of the run, or run it again from its seed.',
    );
  }
  let offset = 0;
  const tensors = layout.tensors.map((tensor): TensorToWrite => {
    const data = parameters.slice(offset, (offset += elementsOf(tensor)));
    requireFinite(tensor.name, data);
    return { name: tensor.name, shape: [...tensor.shape], dtype: 'F32', data };
  });
  return layout.adapter === null
    ? { 'model.safetensors': writeSafetensors(tensors) }
    : adapterFiles(layout.adapter, tensors);
}

/** config.json of exported weights: their type, and whether they have a separate head, can differ from the source. */
export function trainedConfig(source: unknown, tiedHead: boolean): Blob {
  const { dtype: _, ...config } = source as Record<string, unknown>; // the name of `torch_dtype` since transformers 4.56
  const trained = { ...config, torch_dtype: 'float32', tie_word_embeddings: tiedHead };
  return new Blob([JSON.stringify(trained, null, 2)], { type: 'application/json' });
}
