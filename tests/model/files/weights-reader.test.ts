import { describe, expect, it } from 'vitest';
import { openWeights } from '../../../src/model/files/weights-reader';
import type { ModelConfig } from '../../../src/model/config';
import { readFloat32, toBfloat16 } from '../../../src/model/files/half-floats';
import { elementsOf, writeSafetensors, type TensorToWrite } from '../../../src/model/files/safetensors';
import { openSource } from '../../../src/model/source/source';
import { checkTensors, expectedTensors } from '../../../src/model/files/tensor-table';
import { errorOf, refusalOf, refusalTextOf } from '../refusal';
import { tinyConfig } from '../tiny';

const sizes = { layers: 1, hiddenSize: 6, headDim: 2, intermediateSize: 5, vocabularySize: 7 };
const config: ModelConfig = { ...tinyConfig, ...sizes };

const tensors: TensorToWrite[] = expectedTensors(config).map((tensor, index) => {
  const values = Float32Array.from({ length: elementsOf(tensor) }, (_, element) => index + element / 4);
  return { ...tensor, dtype: 'BF16', data: toBfloat16(values) };
});

const indexFile = (map: Record<string, string>): Blob => new Blob([JSON.stringify({ weight_map: map })]);

/** The checkpoint as two shards with an index. */
function shards(map?: (file: string, name: string) => string): Record<string, Blob> {
  const fileOf = (position: number): string => `model-0000${position % 2}-of-00002.safetensors`;
  const entries = tensors.map(({ name }, position) => [
    name,
    map?.(fileOf(position), name) ?? fileOf(position),
  ]);
  return {
    'model.safetensors.index.json': indexFile(Object.fromEntries(entries) as Record<string, string>),
    [fileOf(0)]: writeSafetensors(tensors.filter((_, position) => position % 2 === 0)),
    [fileOf(1)]: writeSafetensors(tensors.filter((_, position) => position % 2 === 1)),
  };
}

async function openFiles(files: Record<string, Blob>): ReturnType<typeof openWeights> {
  return openWeights(await openSource({ files }));
}

describe('a checkpoint', () => {
  it('has equal tensors in one file and in shards', async () => {
    const single = await openFiles({ 'model.safetensors': writeSafetensors(tensors) });
    const sharded = await openFiles(shards());
    expect([...sharded.keys()].sort()).toEqual([...single.keys()].sort());
    for (const [position, { name }] of tensors.entries()) {
      const values = await readFloat32(sharded.get(name)!);
      expect(values).toEqual(await readFloat32(single.get(name)!));
      expect([...values.subarray(0, 2)]).toEqual([position, position + 0.25]);
    }
  });

  it('is rejected if it is truncated, with the names of the file and the tensor', async () => {
    const whole = writeSafetensors(tensors);
    const error = await errorOf(() => openFiles({ 'model.safetensors': whole.slice(0, whole.size - 1) }));
    expect(error?.code).toBe('model/safetensors-truncated');
    expect(error?.message).toMatch(/^model\.safetensors: The file is cut: tensor ".+" ends at byte/);
    expect(error?.nextStep).toContain('fetch it again');
  });

  it('is rejected without weights, and with an index that does not match its files', async () => {
    expect(await refusalOf(() => openFiles({}))).toBe('model/no-weights');
    for (const bad of [
      () => ({ 'model.safetensors.index.json': indexFile({}) }),
      () => ({ 'model.safetensors.index.json': new Blob(['{}']) }),
      () => ({ 'model.safetensors.index.json': new Blob(['null']) }),
      () => shards(() => '../secret.safetensors'),
      () => shards(() => 'model.bin'),
      () => shards((file) => file.replace(/\d(?=-of)/, (digit) => `${1 - Number(digit)}`)),
    ]) {
      expect(await refusalOf(() => openFiles(bad()))).toBe('model/shard-index');
    }
    const missing = shards();
    delete missing['model-00001-of-00002.safetensors'];
    expect(await refusalOf(() => openFiles(missing))).toBe('model/file-missing');
  });
});

describe('the table of tensors', () => {
  const open = (list: readonly TensorToWrite[]): ReturnType<typeof openWeights> =>
    openFiles({ 'model.safetensors': writeSafetensors(list) });
  const check = async (list: readonly TensorToWrite[]): Promise<string> => {
    const table = await open(list);
    return refusalOf(() => checkTensors(config, table));
  };
  const extra = (name: string, ...shape: number[]): TensorToWrite => ({
    ...{ name, dtype: 'F32', shape, data: new Float32Array(elementsOf({ shape })) },
  });

  it('may contain a copy of a tied head and rotary frequencies', async () => {
    expect(await check(tensors)).toBe('accepted');
    const spare = [extra('lm_head.weight', 7, 6), extra('model.layers.0.self_attn.rotary_emb.inv_freq', 1)];
    expect(await check([...tensors, ...spare])).toBe('accepted');
  });

  it('is rejected with the name of a missing or unknown tensor, or one of another shape or dtype', async () => {
    const norm = 'model.norm.weight';
    const others = tensors.filter(({ name }) => name !== norm);
    expect(await check(others)).toBe('model/tensor-missing');
    expect(await check([...others, extra(norm, 7)])).toBe('model/tensor-shape');
    const integers: TensorToWrite = { name: norm, dtype: 'I32', shape: [6], data: new Uint8Array(24) };
    expect(await check([...others, integers])).toBe('model/tensor-dtype');
    expect(await check([...tensors, extra('model.layers.0.self_attn.o_proj.bias', 6)])).toBe(
      'model/tensor-unknown',
    );
    const table = await open(others);
    expect(await refusalTextOf(() => checkTensors(config, table))).toContain(norm);
  });
});
