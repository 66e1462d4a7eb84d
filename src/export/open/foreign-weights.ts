/**
 * Opens weights trained by another program (a PEFT adapter, or all weights of a small model) as the checkpoint of a
 * run. Marble can evaluate, ask and export it. The optimizer's moments are missing.
 */
import { adapterScale } from '../../model/files/adapter-config';
import { openAdapter } from '../../model/files/adapter-files';
import { adaptable, adapterTensorName } from '../../model/lora';
import { checkRunConfig } from '../../run/config/check-config';
import { badFile, type TrainedFiles } from './trained-files';
import { about, MarbleError } from '../../base/error';
import { parseModelConfig } from '../../model/config';
import { checkTensors, expectedTensors } from '../../model/files/tensor-table';
import { resolveHead } from '../../model/files/tied-head';
import { readFloat32 } from '../../model/files/half-floats';
import { openWeights } from '../../model/files/weights-reader';
import { openSource } from '../../model/source/source';
import { newTrainerState } from '../../rl/trainer-state';
import type { RunConfig } from '../../run/config/config';
import type { Checkpoint } from '../../run/record/events';

export interface Trained {
  /** The settings; of an adapter with its own rank and scale. */
  config: RunConfig;
  checkpoint: Checkpoint;
}

/**
 * @param config settings of the exported run that trained the adapter, or other settings to open it with
 * @param isExported true if `config` is from the adapter's own run; its rank and scale must then match
 * @param modelConfig config.json of the base, parsed
 * @throws MarbleError `export/bad-file` for an adapter of another model or run, and those of `openAdapter`
 */
export async function openTrainedAdapter(
  { name, files }: NonNullable<TrainedFiles['adapter']>,
  config: RunConfig,
  isExported: boolean,
  modelConfig: unknown,
): Promise<Trained> {
  const model = parseModelConfig(modelConfig);
  const adapter = await openAdapter(await openSource({ files: { ...files } }), model).catch(
    (thrown: unknown) => {
      const isOfConfig = thrown instanceof MarbleError && thrown.code === 'model/adapter-config';
      throw about(isOfConfig ? name : `${name}: adapter_model.safetensors`, thrown);
    },
  );
  const { rank, alpha, useRslora, baseModel } = adapter;
  checkBase(name, baseModel, config);
  const training = trainingOf(name, config, isExported, { rank, scale: adapterScale(adapter) });
  const startsSaved = training.adapter !== undefined;
  const tensors: { name: string; shape: number[] }[] = [];
  const values: Float32Array[] = [];
  for (let layer = 0; layer < model.layers; layer++) {
    for (const matrix of adaptable(model)) {
      const [outputs, inputs] = matrix.shape;
      for (const half of ['A', 'B'] as const) {
        const tensor = adapterTensorName(layer, matrix, half);
        const shape = half === 'A' ? [rank, inputs] : [outputs, rank];
        const read = await adapter.read(tensor);
        // A run that starts afresh adapts every projection: one that this adapter leaves alone adds nothing.
        if (read === null && startsSaved) continue;
        tensors.push({ name: tensor, shape });
        values.push(read ?? new Float32Array(shape[0] * shape[1]));
      }
    }
  }
  const run = checkRunConfig({ ...config, training });
  const layout = { tensors, adapter: { rank, alpha, useRslora, baseModel } };
  return { config: run, checkpoint: foreignCheckpoint(run, layout, values) };
}

/** Compares the base model only if it is a name on the Hub. A folder's name does not identify a model. */
function checkBase(name: string, baseModel: string | null, { model }: RunConfig): void {
  const isName = baseModel !== null && /^[\w-][\w.-]*\/[\w-][\w.-]*$/.test(baseModel);
  if (!isName || model.kind !== 'hub') return;
  const [repository] = model.repository.split(':');
  if (baseModel.toLowerCase() === repository.toLowerCase()) return;
  throw badFile(
    name,
    `adapter_config.json: base_model_name_or_path is ${JSON.stringify(baseModel.slice(0, 100))}`,
    `${JSON.stringify(repository)}, the model of these settings`,
  );
}

type LoraTraining = Extract<RunConfig['training'], { mode: 'lora' }>;

function trainingOf(
  name: string,
  { training }: RunConfig,
  isExported: boolean,
  { rank, scale }: { rank: number; scale: number },
): LoraTraining {
  if (!isExported) return { mode: 'lora', rank, alpha: scale * rank };
  if (training.mode !== 'lora')
    throw badFile(name, 'adapter_config.json: peft_type is "LORA"', 'no adapter: the exported run trains all weights'); // prettier-ignore
  if (training.rank !== rank)
    throw badFile(name, `adapter_config.json: r is ${rank}`, `${training.rank}, the rank of the exported run`); // prettier-ignore
  const asked = training.alpha / training.rank;
  if (training.adapter === undefined && Math.abs(scale - asked) > 1e-6 * asked)
    throw badFile(name, `adapter_config.json: its scale is ${scale}`, `${asked}, lora_alpha / r of the exported run`); // prettier-ignore
  return training;
}

/**
 * @param config of the exported run, which trains all weights
 * @param modelConfig config.json of the model, parsed
 * @throws MarbleError those of `openWeights` and `checkTensors`, naming the file, for a model of another shape
 */
export async function openTrainedModel(
  { name, files }: NonNullable<TrainedFiles['weights']>,
  config: RunConfig,
  modelConfig: unknown,
): Promise<Trained> {
  const tied = parseModelConfig(modelConfig);
  const tensors: { name: string; shape: number[] }[] = [];
  const values: Float32Array[] = [];
  try {
    const opened = await openWeights(await openSource({ files: { ...files } }));
    const { config: model, checkpoint } = await resolveHead(tied, opened);
    checkTensors(model, checkpoint);
    for (const { name: tensor, shape } of expectedTensors(model)) {
      tensors.push({ name: tensor, shape: [...shape] });
      values.push(await readFloat32(checkpoint.get(tensor)!));
    }
  } catch (thrown) {
    throw about(name, thrown);
  }
  return { config, checkpoint: foreignCheckpoint(config, { tensors, adapter: null }, values) };
}

/**
 * @param layout of the trained tensors
 * @param values of its tensors, in their order
 * @returns the checkpoint at the end of a run of these settings
 */
function foreignCheckpoint(
  config: RunConfig,
  layout: Checkpoint['policy']['layout'],
  values: readonly Float32Array[],
): Checkpoint {
  const parameters = new Float32Array(values.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of values) {
    parameters.set(part, offset);
    offset += part.length;
  }
  return {
    version: 1,
    config,
    step: config.steps,
    policy: {
      parameters,
      moment1: new Float32Array(parameters.length),
      moment2: new Float32Array(parameters.length),
      updates: 0,
      reference: null,
      layout,
    },
    trainer: { ...newTrainerState(config), evaluatedStep: config.steps },
  };
}
