/** All weights of a small model that another program has trained, as the checkpoint of the exported run. */
import { MarbleError } from '../error';
import { parseModelConfig } from '../model/config';
import { checkTensors, expectedTensors } from '../model/files/tensor-table';
import { openWeights } from '../model/files/weights-reader';
import { openSource } from '../model/source/source';
import type { RunConfig } from '../run/config';
import type { Checkpoint } from '../run/events';
import type { ClusterFiles } from './cluster-files';
import { foreignCheckpoint } from './foreign-checkpoint';

/**
 * @param config of the exported run, which trains all weights
 * @param modelConfig config.json of the model, parsed
 * @returns its checkpoint after so many steps, without the optimizer's moments
 * @throws MarbleError those of `openWeights` and `checkTensors`, naming the file, for a model of another shape
 */
export async function openTrainedModel(
  { name, files }: NonNullable<ClusterFiles['weights']>,
  config: RunConfig,
  modelConfig: unknown,
): Promise<(step: number) => Checkpoint> {
  const model = parseModelConfig(modelConfig);
  const values: Float32Array[] = [];
  try {
    const weights = await openWeights(await openSource({ files: { ...files } }));
    checkTensors(model, weights.tensors);
    for (const tensor of expectedTensors(model)) values.push(await weights.readFloat32(tensor.name));
  } catch (thrown) {
    if (!(thrown instanceof MarbleError)) throw thrown;
    throw new MarbleError(thrown.code, `${name}: ${thrown.message}`, thrown.nextStep, { cause: thrown });
  }
  const tensors = expectedTensors(model).map((tensor) => ({ name: tensor.name, shape: [...tensor.shape] }));
  return foreignCheckpoint(config, { tensors, adapter: null }, values);
}
