import { describe, expect, it } from 'vitest';
import { adapterFiles, openAdapter, parseAdapterConfig } from '../../../src/model/files/adapter-files';
import { zipFiles } from '../../../src/export/weights-zip';
import type { TensorToWrite } from '../../../src/model/files/safetensors';
import { openSource } from '../../../src/model/source/source';
import { unzipFiles } from '../../export/unzip-files';
import { refusal, refusalOf } from '../refusal';
import { tinyConfig } from '../tiny';

const model = { ...tinyConfig, hiddenSize: 6, headDim: 2, intermediateSize: 5 };
const plain = { rank: 2, alpha: 8, useRslora: false, baseModel: 'owner/base' };

const half = (layer: number, module: string, side: 'A' | 'B', ...shape: number[]): TensorToWrite => ({
  name: `base_model.model.model.layers.${layer}.${module}.lora_${side}.weight`,
  dtype: 'F32',
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

  it('is packed to a zip with equal bytes each time', async () => {
    const files = adapterFiles(plain, pairs);
    const archive = await zipFiles(files);
    expect(await archive.bytes()).toEqual(await (await zipFiles(files)).bytes());
    const adapter = await open(await unzipFiles(archive));
    expect(await adapter.read(pairs[3].name)).toEqual(pairs[3].data);
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

  it('without one of its files is rejected', async () => {
    const { 'adapter_config.json': config } = adapterFiles(plain, pairs);
    expect(await refusalOf(() => open({ 'adapter_config.json': config }))).toBe('model/file-missing');
  });
});

describe('adapter_config.json', () => {
  const base = { peft_type: 'LORA', r: 4, lora_alpha: 8, target_modules: ['q_proj'] };

  it('accepts everything that PEFT writes for a plain adapter', () => {
    const written = {
      ...base,
      ...{ task_type: 'CAUSAL_LM', bias: 'none', init_lora_weights: true, inference_mode: true },
      ...{
        auto_mapping: null,
        layer_replication: null,
        modules_to_save: null,
        trainable_token_indices: null,
      },
      ...{ loftq_config: {}, rank_pattern: {}, alpha_pattern: {}, fan_in_fan_out: false, use_dora: false },
      ...{ lora_dropout: 0.1, megatron_core: 'megatron.core', qalora_group_size: 16, peft_version: '0.18.0' },
    };
    const expected = { rank: 4, alpha: 8, useRslora: false, baseModel: null };
    expect(parseAdapterConfig(written)).toMatchObject(expected);
  });

  it.each<[string, unknown]>([
    ['peft_type', 'IA3'],
    ['task_type', 'SEQ_CLS'],
    ['bias', 'all'],
    ['modules_to_save', ['lm_head']],
    ['rank_pattern', { q_proj: 0 }],
    ['alpha_pattern', ['q_proj']],
    ['init_lora_weights', 'pissa'],
    ['some_new_setting', 3],
    ['r', 0],
    ['lora_alpha', null],
    ['use_rslora', 'yes'],
  ])('is rejected by name with %s = %j', (name, value) => {
    const config = { ...base, [name]: value };
    expect(() => parseAdapterConfig(config)).toThrow(refusal('model/adapter-config', name));
  });

  it.each([null, []])('is rejected as %j', (json) => {
    expect(() => parseAdapterConfig(json)).toThrow(refusal('model/adapter-config'));
  });
});
