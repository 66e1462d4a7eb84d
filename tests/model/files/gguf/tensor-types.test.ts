import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { blockType, typeName, typesRead, widenBlocks } from '../../../../src/model/files/gguf/tensor-types';

const goldens = JSON.parse(
  readFileSync(new URL('../../../fixtures/goldens/gguf-blocks.json', import.meta.url), 'utf8'),
) as Record<string, { blocks: string; values: string }>;

const idOf = (name: string): number =>
  Array.from({ length: 64 }, (_, id) => id).find((id) => typeName(id) === name)!;

describe('GGML tensor types', () => {
  it('have goldens for every type but F32, which is read as stored', () => {
    expect([...Object.keys(goldens), 'F32'].sort()).toEqual([...typesRead].sort());
    expect([...widenBlocks(0, new Uint8Array(Float32Array.of(1.5, -3).buffer))]).toEqual([1.5, -3]);
  });

  it.each(Object.keys(goldens))('%s gives the bits of the Python package gguf', (name) => {
    const { blocks, values } = goldens[name];
    const widened = widenBlocks(idOf(name), new Uint8Array(Buffer.from(blocks, 'base64')));
    expect(Buffer.from(widened.buffer).toString('base64')).toBe(values);
  });

  it('that are not read have a name and no blocks', () => {
    expect([10, 23, 39, 4, 999].map(typeName).join(', ')).toBe('Q2_K, IQ4_XS, MXFP4, type 4, type 999');
    expect(blockType(10)).toBeNull();
  });
});
