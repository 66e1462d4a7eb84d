import { describe, expect, it } from 'vitest';
import { adapterFiles, openAdapter, parseAdapterConfig } from '../../../src/model/files/adapter-files';
import type { TensorToWrite } from '../../../src/model/files/safetensors';
import { openSource } from '../../../src/model/source/source';
import { loadPolicy } from '../../../src/model/load-policy';
import { engine, openEngineForAll } from '../../fixtures/engine';
import { sharedFiles } from '../../fixtures/shared';
import { refusal, refusalOf, refusalTextOf } from '../refusal';
import { adamW, pulling, tinyConfig } from '../tiny';

const model = { ...tinyConfig, hiddenSize: 6, headDim: 2, intermediateSize: 5 };
const plain = { rank: 2, alpha: 8, useRslora: false, baseModel: 'owner/base' };

const half = (layer: number, module: string, side: 'A' | 'B', ...shape: number[]) => ({
  name: `base_model.model.model.layers.${layer}.${module}.lora_${side}.weight`,
  dtype: 'F32' as const,
  shape,
  data: Float32Array.from({ length: shape[0] * shape[1] }, (_, index) => index + layer),
});
const pairs = [
  half(0, 'self_attn.k_proj', 'A', 2, 6),
  half(0, 'self_attn.k_proj', 'B', 2, 2),
  half(1, 'mlp.down_proj', 'A', 2, 5),
  half(1, 'mlp.down_proj', 'B', 6, 2),
];

const open = async (files: Record<string, Blob>): ReturnType<typeof openAdapter> =>
  openAdapter(await openSource({ files }), model);

describe('an adapter', () => {
  it('is restored from its two files', async () => {
    const adapter = await open(adapterFiles(plain, pairs));
    expect(adapter).toMatchObject({ ...plain, scale: 4 });
    expect(adapter.tensors.size).toBe(4);
    for (const { name, data } of pairs) expect(await adapter.read(name)).toEqual(data);
    const absent = 'base_model.model.model.layers.1.self_attn.k_proj.lora_A.weight';
    expect(await adapter.read(absent)).toBeNull();
    const off = await open(adapterFiles({ ...plain, alpha: 0 }, pairs));
    expect(await off.read(pairs[1].name)).toEqual(pairs[1].data);
  });

  const [first, ...others] = pairs;
  const beyond = [half(2, 'self_attn.q_proj', 'A', 2, 6), half(2, 'self_attn.q_proj', 'B', 6, 2)];
  it.each<[string, string, TensorToWrite[]]>([
    ['no tensor', 'model/adapter-tensor', []],
    ['a missing half', 'model/adapter-tensor', [first]],
    ['more layers', 'model/adapter-tensor', [...pairs, ...beyond]],
    [
      'a head',
      'model/adapter-tensor',
      [...pairs, { ...first, name: 'base_model.model.lm_head.lora_A.weight' }],
    ],
    ['integers', 'model/adapter-tensor', [{ ...first, dtype: 'I32' }, ...others]],
    ['another rank', 'model/adapter-shape', [half(0, 'self_attn.k_proj', 'A', 3, 6), ...others]],
    ['more outputs', 'model/adapter-shape', [first, half(0, 'self_attn.k_proj', 'B', 6, 2)]],
  ])('of another model, with %s, is rejected before a matrix is read', async (_, code, tensors) => {
    expect(await refusalOf(() => open(adapterFiles({ ...plain, baseModel: null }, tensors)))).toBe(code);
  });

  it('of another model is rejected with the names of the tensor and of its base', async () => {
    const wide = [half(0, 'self_attn.k_proj', 'A', 2, 9), pairs[1]];
    const message = await refusalTextOf(() => open(adapterFiles(plain, wide)));
    const tensor =
      /^Adapter tensor base_model\.model\.model\.layers\.0\.\S+ has shape \[2, 9\]; this model at rank 2 requires \[2, 6\]/;
    expect(message).toMatch(tensor);
    expect(message).toContain('The adapter names "owner/base"');
  });
});

describe('adapter_config.json', () => {
  const base = { peft_type: 'LORA', r: 4, lora_alpha: 8, target_modules: ['q_proj'] };

  it('accepts everything that PEFT writes for a plain adapter', () => {
    const written = {
      ...base,
      ...{ task_type: 'CAUSAL_LM', bias: 'none', init_lora_weights: true, inference_mode: true },
      ...{ layer_replication: null, modules_to_save: null, trainable_token_indices: null },
      ...{ loftq_config: {}, rank_pattern: {}, alpha_pattern: {}, fan_in_fan_out: false, use_dora: false },
      ...{ lora_dropout: 0.1, megatron_core: 'megatron.core', qalora_group_size: 16, peft_version: '0.18.0' },
    };
    const expected = { rank: 4, alpha: 8, useRslora: false, baseModel: null };
    expect(parseAdapterConfig(written)).toMatchObject(expected);
  });

  const many = (count: number, name: string): object =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}${index}`, 4]));
  it.each<[string, unknown]>([
    ['peft_type', 'IA3'],
    ['task_type', 'SEQ_CLS'],
    ['bias', 'all'],
    ['modules_to_save', ['lm_head']],
    ['rank_pattern', { q_proj: 0 }],
    ['rank_pattern', { '(': 4 }],
    ['rank_pattern', { [`a{${'1'.repeat(1000)}`]: 4 }],
    ['rank_pattern', { [`${'[a-z]?'.repeat(30)}1`]: 4 }],
    ['rank_pattern', { '.*a.*b.*': 4 }],
    ['rank_pattern', many(1001, 'q')],
    ['rank_pattern', many(33, '.*q')],
    ['alpha_pattern', ['q_proj']],
    ['alpha_pattern', { q_proj: '8' }],
    ['alpha_pattern', { q_proj: 1e300 }],
    ['init_lora_weights', 'pissa'],
    ['some_new_setting', 3],
    ['r', 0],
    ['lora_alpha', null],
    ['lora_alpha', 1e300],
    ['use_rslora', 'yes'],
  ])('is rejected by name: %s (%#)', (name, value) => {
    const config = { ...base, [name]: value };
    expect(() => parseAdapterConfig(config)).toThrow(refusal('model/adapter-config', name));
  });

  it.each([null, []])('is rejected as %j', (json) => {
    expect(() => parseAdapterConfig(json)).toThrow(refusal('model/adapter-config'));
  });
});

const shared = sharedFiles('fixtures/qwen2-tied', ['config.json', 'model.safetensors']);
const tokens = [3, 4, 5, 6, 7];
const patterned = {
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
  let offset = 0;
  const tensors = [0, 1].flatMap((layer) =>
    modules(layer).flatMap(([name, rank, outputs, inputs]) =>
      [half(layer, name, 'A', rank, inputs), half(layer, name, 'B', outputs, rank)].map((tensor) => {
        const seed = offset++;
        return { ...tensor, data: tensor.data.map((_, index) => Math.sin(index + seed) / 5) };
      }),
    ),
  );
  const files = adapterFiles({ rank: 4, alpha: 6, useRslora: false, baseModel: null }, tensors);
  return { ...files, 'adapter_config.json': new Blob([JSON.stringify({ ...patterned, ...changes })]) };
}

// Values of PEFT 0.21 in float64.
describe('an adapter with rank_pattern and alpha_pattern', () => {
  openEngineForAll('wasm');

  it.each([
    [false, [0.05636, 0.955841, -0.816986, -0.994897, 0.251527, -1.074053]],
    [true, [0.568968, 0.414288, -0.765457, -0.363565, 0.823059, -1.839704]],
  ])('gives the logits of PEFT (use_rslora %s), also after training and export', async (rslora, golden) => {
    const adapter = { files: filesOf({ use_rslora: rslora }) };
    const policy = await loadPolicy(engine, shared, { adapter });
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
    const again = await loadPolicy(engine, shared, { adapter: exported });
    expect(await again.logits([tokens])).toEqual([trained]);
  });

  it('is refused with the name of a tensor that is not finite', async () => {
    const files = filesOf({});
    const bytes = await files['adapter_model.safetensors'].bytes();
    new DataView(bytes.buffer).setFloat32(bytes.length - 4, NaN, true);
    const adapter = { files: { ...files, 'adapter_model.safetensors': new Blob([bytes]) } };
    const load = loadPolicy(engine, shared, { adapter });
    await expect(load).rejects.toEqual(refusal('model/weights-not-finite', 'v_proj.lora_B'));
  });

  it('has the largest rank and the scale of the modules without a pattern', () => {
    expect(parseAdapterConfig(patterned)).toMatchObject({ rank: 6, alpha: 9 });
    const { alpha } = parseAdapterConfig({ ...patterned, use_rslora: true });
    expect(alpha / Math.sqrt(6)).toBeCloseTo(6 / Math.sqrt(4), 12);
  });
});
