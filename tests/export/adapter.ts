/** Adapters in PEFT's format for a model of two layers, with nonzero weights as after training. */
import { createRandom } from '../../src/base/random';
import { adapterFiles } from '../../src/model/files/adapter-files';

interface AdapterTraits {
  rank: number;
  alpha: number;
  useRslora?: boolean;
  /** Standard deviation of the weights. */
  spread?: number;
  baseModel?: string | null;
}

/** @param modules projections of the adapter with their shapes in the model */
export function adapter(
  { rank, alpha, useRslora = false, spread = 0.3, baseModel = null }: AdapterTraits,
  modules: Record<string, readonly [outputs: number, inputs: number]>,
): Record<string, Blob> {
  const random = createRandom(3);
  const matrix = (name: string, rows: number, columns: number) => ({
    name: `base_model.model.model.layers.${name}.weight`,
    shape: [rows, columns],
    dtype: 'F32' as const,
    data: Float32Array.from({ length: rows * columns }, () => spread * random.normal()),
  });
  const tensors = [0, 1].flatMap((layer) =>
    Object.entries(modules).flatMap(([module, [outputs, inputs]]) => [
      matrix(`${layer}.${module}.lora_A`, rank, inputs),
      matrix(`${layer}.${module}.lora_B`, outputs, rank),
    ]),
  );
  return adapterFiles({ rank, alpha, useRslora, baseModel }, tensors);
}
