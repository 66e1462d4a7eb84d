import { describe, expect, it } from 'vitest';
import { blobSource, type ByteSource } from '../../../src/model/source/byte-source';
import { readFloat32, toBfloat16, toFloat32 } from '../../../src/model/files/half-floats';
import { openSafetensors, writeSafetensors } from '../../../src/model/files/safetensors';
import { refusal, refusalOf } from '../refusal';

/** A file with this header and this number of bytes after it. */
function fileOf(header: string | object, dataSize: number, claimed?: bigint): ByteSource {
  const text = new TextEncoder().encode(typeof header === 'string' ? header : JSON.stringify(header));
  const bytes = new Uint8Array(8 + text.length + dataSize);
  new DataView(bytes.buffer).setBigUint64(0, claimed ?? BigInt(text.length), true);
  bytes.set(text, 8);
  return blobSource(new Blob([bytes]));
}

const f32 = (begin: number, end: number, ...shape: number[]): object => ({
  dtype: 'F32',
  shape,
  data_offsets: [begin, end],
});

describe('a safetensors file', () => {
  it('is written and read back with its names, shapes, dtypes and bytes', async () => {
    const weights = Float32Array.of(1, -2.5, 3, 4, 5, 1e-8);
    const file = writeSafetensors([
      { name: 'b', dtype: 'BF16', shape: [3], data: toBfloat16(Float32Array.of(1, -2, 0.5)) },
      { name: 'a', dtype: 'F32', shape: [2, 3], data: weights },
      { name: 'none', dtype: 'F32', shape: [0, 7], data: new Float32Array(0) },
    ]);
    const tensors = await openSafetensors(blobSource(file));
    expect([...tensors.keys()]).toEqual(['b', 'a', 'none']);
    const a = tensors.get('a')!;
    expect(a).toMatchObject({ dtype: 'F32', shape: [2, 3] });
    expect(await readFloat32(a)).toEqual(weights);
    expect([...(await readFloat32(tensors.get('b')!))]).toEqual([1, -2, 0.5]);
    expect((file.size - 6 - weights.byteLength) % 8).toBe(0);
  });

  it.each<[string, ByteSource]>([
    ['model/safetensors-truncated', blobSource(new Blob([new Uint8Array(7)]))],
    ['model/safetensors-truncated', fileOf('{}', 0, 3n)],
    ['model/safetensors-header-size', fileOf('{}', 0, 10_000_001n)],
    ['model/safetensors-header-size', fileOf('{}', 0, 2n ** 64n - 1n)],
    ['model/safetensors-json', fileOf('{"a":', 0)],
    ['model/safetensors-json', fileOf('[]', 0)],
    ['model/safetensors-json', fileOf(' {}', 0)],
    ['model/safetensors-json', fileOf('\ufeff{}', 0)],
    [
      'model/safetensors-offsets',
      fileOf(`{"a":${JSON.stringify(f32(0, 4, 1))},"\\u0061":${JSON.stringify(f32(4, 8, 1))}}`, 8),
    ],
    ['model/safetensors-entry', fileOf({ a: 3 }, 0)],
    ['model/safetensors-entry', fileOf({ a: { ...f32(0, 4, 1), extra: 1 } }, 4)],
    ['model/safetensors-dtype', fileOf({ a: { ...f32(0, 4, 1), dtype: 'F8' } }, 4)],
    ['model/safetensors-dtype', fileOf({ a: { ...f32(0, 4, 1), dtype: 'toString' } }, 4)],
    ['model/safetensors-shape', fileOf({ a: f32(0, 4, -1) }, 4)],
    ['model/safetensors-shape', fileOf({ a: f32(0, 4, 0.5) }, 4)],
    ['model/safetensors-size', fileOf({ a: f32(0, 4, 2 ** 40, 2 ** 40) }, 4)],
    ['model/safetensors-shape', fileOf({ a: { dtype: 'F32', shape: '1', data_offsets: [0, 4] } }, 4)],
    ['model/safetensors-size', fileOf({ a: f32(0, 4, 2) }, 4)],
    ['model/safetensors-offsets', fileOf({ a: f32(4, 0, 1) }, 4)],
    ['model/safetensors-offsets', fileOf({ a: { dtype: 'F32', shape: [1], data_offsets: [0, 4, 8] } }, 4)],
    ['model/safetensors-offsets', fileOf({ a: f32(4, 8, 1) }, 8)],
    ['model/safetensors-offsets', fileOf({ a: f32(0, 8, 2), b: f32(4, 12, 2) }, 12)],
    ['model/safetensors-offsets', fileOf({ a: f32(0, 4, 1), b: f32(8, 12, 1) }, 12)],
    ['model/safetensors-truncated', fileOf({ a: f32(0, 8, 2) }, 7)],
    ['model/safetensors-trailing', fileOf({ a: f32(0, 4, 1) }, 5)],
    ['model/safetensors-trailing', fileOf({}, 1)],
  ])('is rejected as %s before any tensor is read', async (code, source) => {
    expect(await refusalOf(() => openSafetensors(source))).toBe(code);
  });

  it('keeps a tensor with the name of a prototype, and ignores metadata of any kind', async () => {
    const proto = fileOf('{"__proto__":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}', 4);
    expect([...(await openSafetensors(proto)).keys()]).toEqual(['__proto__']);
    const nested = fileOf(`{"__metadata__":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, 0);
    expect((await openSafetensors(nested)).size).toBe(0);
    // Data of a tensor with this name are a hole.
    const hidden = fileOf({ __metadata__: f32(0, 4, 1) }, 4);
    expect(await refusalOf(() => openSafetensors(hidden))).toBe('model/safetensors-trailing');
  });
});

describe('stored weights as numbers', () => {
  it('are exact for bf16 and half precision', () => {
    const bf16 = Uint16Array.of(0x3f80, 0xc000, 0x0001, 0x7f80, 0x8000);
    expect([...toFloat32(new Uint8Array(bf16.buffer), 'BF16')]).toEqual([1, -2, 2 ** -133, Infinity, -0]);
    const half = Uint16Array.of(0x3c00, 0xc000, 0x0001, 0x7bff, 0xfc00, 0x3555);
    const expected = [1, -2, 2 ** -24, 65504, -Infinity, 1365 / 4096];
    expect([...toFloat32(new Uint8Array(half.buffer), 'F16')]).toEqual(expected);
    expect(() => toFloat32(new Uint8Array(4), 'I32')).toThrow(refusal('model/tensor-dtype'));
  });

  it('are rounded to bf16 to nearest, ties to even, and NaN stays NaN', () => {
    const values = Float32Array.of(1, 1 + 2 ** -8, 1 + 3 * 2 ** -8, 1 + 2 ** -8 + 2 ** -20, NaN, -Infinity);
    const back = toFloat32(new Uint8Array(toBfloat16(values).buffer), 'BF16');
    expect([...back]).toEqual([1, 1, 1 + 2 ** -6, 1 + 2 ** -7, NaN, -Infinity]);
  });
});
