import { describe, expect, it } from 'vitest';
import { adapterFiles } from '../../../src/model/files/adapter-files';
import { loadPolicy } from '../../../src/model/load-policy';
import type { TensorToWrite } from '../../../src/model/files/safetensors';
import { savedWeights } from '../../../src/model/files/export';
import { createRandom } from '../../../src/base/random';
import { errorOf, refusalOf } from '../refusal';
import { configJson, tinyConfig, tinyPolicy } from '../tiny';
import { engine, openEngineForAll } from '../../fixtures/engine';

openEngineForAll('wasm');

/** A tiny model as files, and an adapter of two of its projections with rank-stabilised scaling. */
async function modelWithAdapter(): Promise<{ model: Record<string, Blob>; adapter: Record<string, Blob> }> {
  const { hiddenSize, layers, heads, kvHeads, headDim } = tinyConfig;
  const policy = await tinyPolicy(engine);
  const model = { ...(await policy.exportModel()), 'config.json': configJson(tinyConfig) };
  const random = createRandom(9);
  const matrix = (name: string, ...shape: number[]): TensorToWrite => ({
    name,
    shape,
    dtype: 'F32',
    data: Float32Array.from({ length: shape[0] * shape[1] }, () => random.normal()),
  });
  const tensors = Array.from({ length: layers }, (_, layer) =>
    [
      ['self_attn.q_proj', heads * headDim],
      ['self_attn.v_proj', kvHeads * headDim],
    ].flatMap(([module, outputs]) => {
      const prefix = `base_model.model.model.layers.${layer}.${module}`;
      return [
        matrix(`${prefix}.lora_A.weight`, 4, hiddenSize),
        matrix(`${prefix}.lora_B.weight`, Number(outputs), 4),
      ];
    }),
  ).flat();
  return {
    model,
    adapter: adapterFiles({ rank: 4, alpha: 6, useRslora: true, baseModel: 'owner/base' }, tensors),
  };
}

describe('the weights in a checkpoint', () => {
  it('of a further trained adapter keep its scale and projections', async () => {
    const { model, adapter } = await modelWithAdapter();
    const ids = [[3, 7, 11, 2, 5]];
    const policy = await loadPolicy(engine, { files: model }, { adapter: { files: adapter } });
    const saved = savedWeights(await policy.state());
    expect(JSON.parse(await saved['adapter_config.json'].text())).toMatchObject({
      r: 4,
      lora_alpha: 6,
      use_rslora: true,
      target_modules: ['q_proj', 'v_proj'],
      base_model_name_or_path: 'owner/base',
    });
    const again = await loadPolicy(engine, { files: model }, { adapter: { files: saved } });
    const [before] = await policy.logits(ids);
    const [without] = await policy.logits(ids, { adapter: 'off' });
    expect(await again.logits(ids)).toEqual([before]);
    expect(without).not.toEqual(before);
  });

  it('of an adapter that are not finite are refused with the name of the tensor', async () => {
    const { model, adapter } = await modelWithAdapter();
    const file = new Uint8Array(await adapter['adapter_model.safetensors'].arrayBuffer());
    new DataView(file.buffer).setFloat32(file.length - 4, NaN, true);
    const files = { ...adapter, 'adapter_model.safetensors': new Blob([file]) };
    const error = await errorOf(() => loadPolicy(engine, { files: model }, { adapter: { files } }));
    expect(error).toMatchObject({ code: 'model/weights-not-finite' });
    expect(error!.message).toContain('lora_B');
  });

  it('are rejected without a layout or with another number of values', async () => {
    const policy = await tinyPolicy(engine);
    const { layout, ...state } = await policy.state();
    expect(await refusalOf(() => savedWeights(state))).toBe('model/saved-weights');
    const fewer = state.parameters.slice(1);
    expect(await refusalOf(() => savedWeights({ ...state, layout, parameters: fewer }))).toBe(
      'model/saved-weights',
    );
  });
});
