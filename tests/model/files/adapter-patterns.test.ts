/** Adapters with modules of different rank and scale, compared with PEFT 0.21 in float64. */
import { describe, expect, it } from 'vitest';
import { loadPolicy } from '../../../src/model/load-policy';
import { adapterFiles, parseAdapterConfig } from '../../../src/model/files/adapter-files';
import type { TensorToWrite } from '../../../src/model/files/safetensors';
import { engine, openEngineForAll } from '../../fixtures/engine';
import { sharedFiles } from '../../fixtures/shared';
import { refusal, refusalOf } from '../refusal';
import { adamW, pulling } from '../tiny';

openEngineForAll('wasm');

const model = sharedFiles('fixtures/qwen2-tied', ['config.json', 'model.safetensors']);
const tokens = [3, 4, 5, 6, 7];
const config = {
  ...{ peft_type: 'LORA', task_type: 'CAUSAL_LM', r: 4, lora_alpha: 6 },
  base_model_name_or_path: 'owner/base',
  rank_pattern: { 'layers\\.0\\.self_attn\\.q_proj': 6, v_proj: 2 },
  alpha_pattern: { '.*\\.[0]\\.mlp\\.down_proj': 10, k_proj: 3, j_proj: 99, '(q|v)_proj': 5 },
};
/** Rank, outputs and inputs of a layer's adapted modules. */
const modules = (layer: number): [string, number, number, number][] => [
  ['mlp.down_proj', 4, 64, 128],
  ['self_attn.k_proj', 4, 32, 64],
  ['self_attn.q_proj', layer === 0 ? 6 : 4, 64, 64],
  ['self_attn.v_proj', 2, 32, 64],
];

function filesOf(changes: object): Record<string, Blob> {
  const tensors: TensorToWrite[] = [];
  for (const layer of [0, 1]) {
    for (const [name, rank, outputs, inputs] of modules(layer)) {
      for (const shape of [
        [rank, inputs],
        [outputs, rank],
      ]) {
        const offset = tensors.length;
        const half = offset % 2 === 0 ? 'A' : 'B';
        tensors.push({
          name: `base_model.model.model.layers.${layer}.${name}.lora_${half}.weight`,
          dtype: 'F32',
          shape,
          data: Float32Array.from({ length: shape[0] * shape[1] }, (_, i) => Math.sin(i + offset) / 5),
        });
      }
    }
  }
  const files = adapterFiles({ rank: 4, alpha: 6, useRslora: false, baseModel: null }, tensors);
  return { ...files, 'adapter_config.json': new Blob([JSON.stringify({ ...config, ...changes })]) };
}

describe('an adapter with rank_pattern and alpha_pattern', () => {
  it.each([
    [false, [0.05636, 0.955841, -0.816986, -0.994897, 0.251527, -1.074053]],
    [true, [0.568968, 0.414288, -0.765457, -0.363565, 0.823059, -1.839704]],
  ])('gives the logits of PEFT (use_rslora %s), also after training and export', async (rslora, golden) => {
    const adapter = { files: filesOf({ use_rslora: rslora }) };
    const policy = await loadPolicy(engine, model, { adapter });
    const [logits] = await policy.logits([tokens]);
    const last = logits.subarray(4 * 320);
    golden.forEach((logit, token) => expect(last[token]).toBeCloseTo(logit, 4));

    await policy.backward([tokens], [1], pulling(-1));
    await policy.update(adamW(1e-2));
    const [trained] = await policy.logits([tokens]);
    expect(trained).not.toEqual(logits);
    const exported = { files: await policy.exportAdapter() };
    expect(JSON.parse(await exported.files['adapter_config.json'].text())).toMatchObject({
      ...{ r: 6, use_rslora: rslora, base_model_name_or_path: 'owner/base' },
      target_modules: ['q_proj', 'k_proj', 'v_proj', 'down_proj'],
    });
    const again = await loadPolicy(engine, model, { adapter: exported });
    expect(await again.logits([tokens])).toEqual([trained]);
  });

  it('is refused with the name of a tensor that is not finite', async () => {
    const files = filesOf({});
    const bytes = await files['adapter_model.safetensors'].bytes();
    new DataView(bytes.buffer).setFloat32(bytes.length - 4, NaN, true);
    const adapter = { files: { ...files, 'adapter_model.safetensors': new Blob([bytes]) } };
    const load = loadPolicy(engine, model, { adapter });
    await expect(load).rejects.toEqual(refusal('model/weights-not-finite', 'v_proj.lora_B'));
  });

  it('has the largest rank and the scale of the modules without a pattern', () => {
    expect(parseAdapterConfig(config)).toMatchObject({ rank: 6, alpha: 9 });
    const { alpha } = parseAdapterConfig({ ...config, use_rslora: true });
    expect(alpha / Math.sqrt(6)).toBeCloseTo(6 / Math.sqrt(4), 12);
  });

  it('is rejected by name for an invalid pattern or a matrix of another rank', async () => {
    for (const [name, value] of [
      ['rank_pattern', { '(': 4 }],
      ['rank_pattern', { [`a{${'1'.repeat(1000)}`]: 4 }],
      ['alpha_pattern', { q_proj: '8' }],
      ['rank_pattern', { [`${'[a-z]?'.repeat(30)}1`]: 4 }],
      ['rank_pattern', Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`q${index}`, 4]))],
      ['rank_pattern', { '.*a.*b.*': 4 }],
      ['rank_pattern', Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`.*q${index}`, 4]))],
      ['alpha_pattern', { q_proj: 1e300 }],
      ['lora_alpha', 1e300],
    ] as const) {
      const bad = (): unknown => parseAdapterConfig({ ...config, [name]: value });
      expect(bad).toThrow(refusal('model/adapter-config', name));
    }
    const adapter = { files: filesOf({ rank_pattern: { v_proj: 2 } }) };
    expect(await refusalOf(() => loadPolicy(engine, model, { adapter }))).toBe('model/adapter-shape');
  });
});
