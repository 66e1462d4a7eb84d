/** A PEFT adapter that another program has trained, as the checkpoint of a run: what Marble evaluates, asks and exports. */
import { MarbleError } from '../error';
import { adapterScale } from '../model/files/adapter-config';
import { openAdapter } from '../model/files/adapter-files';
import { adaptable, adapterTensorName } from '../model/lora';
import { parseModelConfig } from '../model/config';
import { openSource } from '../model/source/source';
import { checkRunConfig } from '../run/check-config';
import type { RunConfig } from '../run/config';
import type { Checkpoint } from '../run/events';
import { badFile, type ClusterFiles } from './cluster-files';
import { foreignCheckpoint } from './foreign-checkpoint';

export interface TrainedAdapter {
  /** The settings with the adapter's own rank and scale. */
  config: RunConfig;
  checkpoint: (step: number) => Checkpoint;
}

/**
 * @param config of the run that the adapter is of; where it was no exported run, the settings that it is opened under
 * @param isExported whether that run is the adapter's own, so that rank and scale must be the run's
 * @param modelConfig config.json of the base, parsed
 * @throws MarbleError `export/bad-log` for an adapter of another model or run, and those of `openAdapter`
 */
export async function openTrainedAdapter(
  { name, files }: NonNullable<ClusterFiles['adapter']>,
  config: RunConfig,
  isExported: boolean,
  modelConfig: unknown,
): Promise<TrainedAdapter> {
  const model = parseModelConfig(modelConfig);
  const adapter = await openAdapter(await openSource({ files: { ...files } }), model).catch(
    (thrown: unknown) => {
      if (!(thrown instanceof MarbleError)) throw thrown;
      const file = thrown.code === 'model/adapter-config' ? '' : 'adapter_model.safetensors: ';
      throw new MarbleError(thrown.code, `${name}: ${file}${thrown.message}`, thrown.nextStep, {
        cause: thrown,
      });
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

/** A name on the Hub says which model it is of; a folder's name on some machine does not. */
function checkBase(name: string, baseModel: string | null, { model }: RunConfig): void {
  const isName = baseModel !== null && /^[\w-][\w.-]*\/[\w-][\w.-]*$/.test(baseModel);
  if (!isName || model.kind !== 'hub' || baseModel.toLowerCase() === model.repository.toLowerCase()) return;
  throw badFile(
    name,
    `adapter_config.json: base_model_name_or_path is ${JSON.stringify(baseModel.slice(0, 100))}`,
    `${JSON.stringify(model.repository)}, the model of these settings`,
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
