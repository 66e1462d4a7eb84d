import { describe, expect, it } from 'vitest';
import { parseModelConfig, scaleFrequencies, type ModelConfig } from '../../../../src/model/config';
import { readFloat32 } from '../../../../src/model/files/half-floats';
import { checkTensors, expectedTensors } from '../../../../src/model/files/tensor-table';
import { openWeights } from '../../../../src/model/files/weights-reader';
import { openSource, type ModelFiles } from '../../../../src/model/source/source';
import { readTokenizer } from '../../../../src/model/tokenizer/tokenizer';
import { ggufFields, writeGguf, type TensorOfGguf } from '../../../fixtures/gguf-file';
import { hasShared, readSharedJson } from '../../../fixtures/shared';
import { errorOf, refusalOf, refusalTextOf } from '../../refusal';
import { configJson, tinyConfig } from '../../tiny';

type Fields = Parameters<typeof writeGguf>[0];
type Tokenizer = { added_tokens: object[]; model: object };

const open = (bytes: Uint8Array<ArrayBuffer>): Promise<ModelFiles> =>
  openSource({ files: { 'any.name.gguf': new Blob([bytes]) } });

const tiny: ModelConfig = { ...tinyConfig, eosTokenIds: [0] };
const configs: ModelConfig[] = [
  tiny,
  { ...tiny, architecture: 'qwen3', headDim: 8, attentionBias: false, headNorm: true },
  { ...tiny, architecture: 'llama', attentionBias: false, tiedHead: false },
];

const shortNames: Record<string, string> = {
  'model.embed_tokens': 'token_embd',
  'model.norm': 'output_norm',
  lm_head: 'output',
  input_layernorm: 'attn_norm',
  post_attention_layernorm: 'ffn_norm',
  'self_attn.q_proj': 'attn_q',
  'self_attn.k_proj': 'attn_k',
  'self_attn.v_proj': 'attn_v',
  'self_attn.o_proj': 'attn_output',
  'self_attn.q_norm': 'attn_q_norm',
  'self_attn.k_norm': 'attn_k_norm',
  'mlp.gate_proj': 'ffn_gate',
  'mlp.up_proj': 'ffn_up',
  'mlp.down_proj': 'ffn_down',
};

const valuesOf = (shape: readonly number[], seed: number): Float32Array<ArrayBuffer> =>
  Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, index) => seed + index / 1024);

/** Permutes rows as convert_hf_to_gguf.py does, from [heads, 2, half, columns] to [heads, half, 2, columns]. */
function permuted(values: Float32Array, heads: number, headDim: number, columns: number): Float32Array {
  const half = headDim / 2;
  const out = new Float32Array(values.length);
  for (let head = 0; head < heads; head++)
    for (let part = 0; part < 2; part++)
      for (let row = 0; row < half; row++) {
        const from = (head * headDim + part * half + row) * columns;
        out.set(values.subarray(from, from + columns), (head * headDim + 2 * row + part) * columns);
      }
  return out;
}

function tensorsOf(config: ModelConfig): TensorOfGguf[] {
  return expectedTensors(config).map(({ name, shape }, seed) => {
    const [, layer, part, kind] = /^(?:model\.layers\.(\d+)\.)?(.+)\.(weight|bias)$/.exec(name)!;
    const short = `${layer === undefined ? '' : `blk.${layer}.`}${shortNames[part]}.${kind}`;
    const heads = { 'self_attn.q_proj': config.heads, 'self_attn.k_proj': config.kvHeads }[part];
    const values = valuesOf(shape, seed);
    const data =
      config.architecture === 'llama' && heads !== undefined
        ? permuted(values, heads, config.headDim, shape[1])
        : values;
    return { name: short, shape, data };
  });
}

describe('a GGUF file', () => {
  it.each(configs)('equals the original $architecture model', async (config) => {
    const files = await open(writeGguf(ggufFields(config), tensorsOf(config)));
    const read = parseModelConfig(await files.json('config.json'));
    expect(read).toEqual(parseModelConfig(configJson(config)));
    const packed = await openWeights(files);
    checkTensors(read, packed);
    for (const [seed, { name, shape }] of expectedTensors(config).entries()) {
      expect([name, ...(await readFloat32(packed.get(name)!))]).toEqual([name, ...valuesOf(shape, seed)]);
    }
    const tensor = packed.get('model.layers.1.self_attn.q_proj.weight')!;
    const whole = await tensor.read();
    expect(await tensor.read(52, 148)).toEqual(whole.slice(52, 148)); // within rows
  });

  it('has as many key heads as heads, and the usual base, where its fields leave them out', async () => {
    const config = { ...tiny, kvHeads: tiny.heads };
    const out = ['attention.head_count_kv', 'attention.key_length', 'rope.freq_base'];
    const without = Object.fromEntries(out.map((name) => [`qwen2.${name}`, undefined]));
    const files = await open(writeGguf({ ...ggufFields(config), ...without }));
    const read = parseModelConfig(await files.json('config.json'));
    expect(read).toEqual(parseModelConfig(configJson(config)));
  });

  it('has the tokenizer and the chat template of its fields', async () => {
    const files = await open(writeGguf(ggufFields(tinyConfig)));
    expect(await files.json('tokenizer_config.json')).toMatchObject({ eos_token: '<|im_end|>' });
    const tokenizer = await readTokenizer(files, 23);
    expect(tokenizer.encode('abc')).toEqual([1, 2, 3]);
    // In a text the name of a control token is a row of letters, and this vocabulary has no “<”.
    expect(() => tokenizer.encode('abc<|im_end|>')).toThrow('The vocabulary has no word');
    expect(tokenizer.chat([{ role: 'user', content: 'abc' }])).toEqual([1, 2, 3, 0]);
    expect(tokenizer.stopIds).toEqual([0]);
  });

  it('has the kinds of its tokens, and a start token if Llama or the file asks for one', async () => {
    const read = async <T>(fields: Fields, name: string): Promise<T> =>
      (await (await open(writeGguf({ ...ggufFields(tiny), ...fields }))).json(name)) as T;
    const token_type = Array.from({ length: 23 }, (_, id) => [3, 4, 5][id] ?? 1);
    const { added_tokens: added, model } = await read<{ added_tokens: object[]; model: { vocab: object } }>(
      { 'tokenizer.ggml.token_type': token_type },
      'tokenizer.json',
    );
    expect(added).toMatchObject([
      { id: 0, special: true },
      { id: 1, special: false },
    ]);
    expect(added).toHaveLength(2);
    expect(model.vocab).not.toHaveProperty('b');
    const [pre, addBos] = ['tokenizer.ggml.pre', 'tokenizer.ggml.add_bos_token'];
    for (const [fields, isAdded] of [
      [{}, undefined],
      [{ [addBos]: true }, true],
      [{ [pre]: 'llama-bpe' }, true],
      [{ [pre]: 'llama-bpe', [addBos]: false }, undefined],
    ] as const) {
      const config = await read<{ add_bos_token?: boolean }>(fields, 'tokenizer_config.json');
      expect(config.add_bos_token).toBe(isAdded);
    }
  });

  it('has the parts of Qwen2.5’s tokenizer, if its file names them', async ({ skip }) => {
    const folder = 'fixtures/qwen25-tokenizer';
    if (!hasShared(folder)) return skip();
    const partsOf = ({ added_tokens: [added], model, ...parts }: Tokenizer) => ({
      ...parts,
      added: { ...added, id: 0, content: '' },
      model: { ...model, vocab: {}, merges: [] },
    });
    const read = (await (await open(writeGguf(ggufFields(tiny)))).json('tokenizer.json')) as Tokenizer;
    expect(partsOf(read)).toEqual(partsOf(readSharedJson(`${folder}/tokenizer.json`) as Tokenizer));
  });

  it('scales positions like Llama 3, which has the divisors in a tensor', async () => {
    const config = { ...configs[2], headDim: 64 };
    const scaling = {
      ...{ kind: 'llama3' as const, factor: 32, lowFrequency: 1, highFrequency: 4, originalPositions: 8192 },
    };
    const frequencies = Float64Array.from({ length: 32 }, (_, pair) => 500_000 ** (-pair / 32));
    const scaled = scaleFrequencies(frequencies, scaling);
    const divisors = Float32Array.from(frequencies, (frequency, pair) => frequency / scaled[pair]);
    const fields: Fields = { ...ggufFields(config), 'llama.rope.freq_base': 500_000 };
    const readScaling = async (data: Float32Array) => {
      const files = await open(writeGguf(fields, [{ name: 'rope_freqs.weight', shape: [32], data }]));
      return parseModelConfig(await files.json('config.json')).ropeScaling;
    };
    expect(await readScaling(divisors)).toEqual(scaling);
    expect(await refusalOf(() => readScaling(divisors.map((divisor) => divisor ** 2)))).toBe(
      'model/gguf-unsupported',
    );
  });

  const tensor = (type: number, shape = [2, 32], name = 'token_embd.weight'): TensorOfGguf => ({
    ...{ name, shape, type, data: new Uint8Array(4096) },
  });
  const divisors = (values: number[]): TensorOfGguf => ({
    ...{ name: 'rope_freqs.weight', shape: [values.length], data: Float32Array.from(values) },
  });
  const llama = ggufFields(configs[2]);
  it.each<[string, string, Fields, TensorOfGguf[]?]>([
    ['IQ4_NL', 'type', {}, [tensor(20)]],
    ['[2, 48]', 'shape', {}, [tensor(8, [2, 48])]],
    ['[0, 32]', 'shape', {}, [tensor(8, [0, 32])]],
    ['[4503599627370496, 4503599627370496]', 'shape', {}, [tensor(0, [2 ** 52, 2 ** 52])]],
    ['at most 4', 'count', {}, [tensor(0, [1, 1, 1, 1, 32])]],
    ['occurs twice', 'duplicate', {}, [tensor(0), tensor(0)]],
    [
      'embed_tokens.weight" occurs twice',
      'duplicate',
      {},
      [tensor(0), tensor(0, [2, 32], 'model.embed_tokens.weight')],
    ],
    ['"gemma3"', 'architecture', { 'general.architecture': 'gemma3' }],
    ['SentencePiece', 'tokenizer', { 'tokenizer.ggml.model': 'llama' }],
    ['"tekken"', 'tokenizer', { 'tokenizer.ggml.pre': 'tekken' }],
    ['a token twice', 'tokenizer', { 'tokenizer.ggml.tokens': Array<string>(23).fill('a') }],
    ['not a list', 'tokenizer', { 'tokenizer.ggml.merges': undefined }],
    ['split.count', 'unsupported', { 'split.count': 3 }],
    ['llama.expert_count', 'unsupported', { 'llama.expert_count': 8 }],
    ['llama.rope.dimension_count', 'unsupported', { 'llama.rope.dimension_count': 2 }],
    ['llama.rope.scaling.type is "yarn"', 'unsupported', { 'llama.rope.scaling.type': 'yarn' }],
    ['general.alignment', 'value', { 'general.alignment': 0 }],
    ['for 3 heads', 'value', {}, [tensor(0, [5, 12], 'blk.0.attn_q.weight')]],
    ['rope_freqs.weight holds numbers', 'value', {}, [divisors([1, NaN])]],
    ['rope_freqs.weight has shape [200000]', 'value', {}, [divisors(new Array<number>(200_000).fill(1))]],
    ['tokenizer.ggml.eos_token_id 99999', 'value', { 'tokenizer.ggml.eos_token_id': 99999 }],
    ['llama.rope.freq_base is NaN', 'value', { 'llama.rope.freq_base': NaN }],
    [
      'llama.embedding_length is missing',
      'value',
      { 'llama.embedding_length': undefined, 'llama.attention.key_length': undefined },
    ],
    [
      'llama.attention.head_count is 0',
      'value',
      { 'llama.attention.head_count': 0, 'llama.rope.dimension_count': 4 },
    ],
  ])('is rejected by the file’s own name of the field: %s', async (shown, kind, fields, tensors = []) => {
    const files = open(writeGguf({ ...llama, ...fields }, tensors));
    const error = await errorOf(async () => (await files).json('config.json'));
    expect(error!.code).toBe(`model/gguf-${kind}`);
    expect(error!.message).toMatch(/^any\.name\.gguf: /);
    expect(error!.message).toContain(shown);
    expect(error!.message).not.toContain('config.json');
  });

  it('has tensors without a use refused as in other files', async () => {
    const more = [...tensorsOf(tiny), { name: 'blk.0.ssm_a', shape: [3], data: new Float32Array(3) }];
    const weights = await openWeights(await open(writeGguf(ggufFields(tiny), more)));
    expect(await refusalTextOf(() => checkTensors(tiny, weights))).toContain('blk.0.ssm_a');
  });

  it('is rejected if it is truncated, and with absurd counts', async () => {
    const whole = writeGguf(llama, tensorsOf(configs[2]));
    const refusal = (bytes: Uint8Array<ArrayBuffer>): Promise<string> =>
      refusalOf(async () => (await open(bytes)).json('config.json'));
    expect(await refusal(whole)).toBe('accepted');
    expect(await refusal(writeGguf({ ...llama, note: 'x'.repeat(2 ** 20) }))).toBe('accepted'); // read in two parts
    for (let size = 0; size < whole.length - 32; size += 997) {
      expect([size, await refusal(whole.slice(0, size))]).toEqual([size, 'model/gguf-truncated']);
    }
    const bare = writeGguf({ note: 'x'.repeat(100) });
    expect(await refusal(bare.slice(0, 100))).toBe('model/gguf-truncated');
    const changed = (at: number, value: number, bytes = 8): Uint8Array<ArrayBuffer> => {
      const copy = whole.slice();
      for (let index = 0; index < bytes; index++) copy[at + index] = value;
      return copy;
    };
    expect(await refusal(changed(0, 0x47, 4))).toBe('model/gguf-magic');
    expect(await refusal(changed(4, 1, 4))).toBe('model/gguf-version');
    for (const at of [8, 16, 24]) expect(await refusal(changed(at, 0x7f))).toBe('model/gguf-count'); // tensors, fields, a name
    const list = writeGguf({ list: [7, 7] });
    list.fill(0x7f, 24 + 8 + 4 + 4 + 4, 24 + 8 + 4 + 4 + 4 + 8);
    expect(await refusal(list)).toBe('model/gguf-count');
  });
});
