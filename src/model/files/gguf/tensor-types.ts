/**
 * GGML's tensor types: blocks of 32 or 256 weights with common scales (ggml-quants.c, `dequantize_row_*`). All products below are
 * exact in double precision, and each weight is rounded to float32 once. The results equal those of the Python package `gguf` and
 * of transformers bit for bit.
 */
import { toFloat32, widenHalf } from '../half-floats';

interface BlockType {
  /** Number of weights of a block. */
  weights: number;
  /** Size of a block in bytes. */
  bytes: number;
  /** Dequantises the block at byte `at` and writes its weights to `out` from index `to`. */
  widen: (block: Uint8Array, at: number, out: Float32Array, to: number) => void;
}

/** Supported types by id. */
const BLOCK_TYPES: Record<number, BlockType> = {
  0: plain(4, 'F32'),
  1: plain(2, 'F16'),
  2: smallBlock({ bits: 4, shifted: false }),
  3: smallBlock({ bits: 4, shifted: true }),
  6: smallBlock({ bits: 5, shifted: false }),
  7: smallBlock({ bits: 5, shifted: true }),
  8: { weights: 32, bytes: 34, widen: widenQ8 },
  12: { weights: 256, bytes: 144, widen: (...args) => widenQ45K(4, ...args) },
  13: { weights: 256, bytes: 176, widen: (...args) => widenQ45K(5, ...args) },
  14: { weights: 256, bytes: 210, widen: widenQ6K },
  30: plain(2, 'BF16'),
};

/** Names of types by id (ggml.h, `enum ggml_type`); empty for removed ids. */
const NAMES =
  `F32 F16 Q4_0 Q4_1   Q5_0 Q5_1 Q8_0 Q8_1 Q2_K Q3_K Q4_K Q5_K Q6_K Q8_K IQ2_XXS IQ2_XS IQ3_XXS IQ1_S IQ4_NL
IQ3_S IQ2_S IQ4_XS I8 I16 I32 I64 F64 IQ1_M BF16    TQ1_0 TQ2_0    MXFP4`.split(/ |\n/);

export const typeName = (id: number): string => NAMES[id] || `type ${id}`;

export const typesRead = Object.keys(BLOCK_TYPES).map((id) => typeName(Number(id)));

/** Block of a type; null for an unsupported type. */
export const blockType = (id: number): Pick<BlockType, 'weights' | 'bytes'> | null =>
  Object.hasOwn(BLOCK_TYPES, id) ? BLOCK_TYPES[id] : null;

/** Dequantises whole blocks of one type to float32. */
export function widenBlocks(type: number, blocks: Uint8Array): Float32Array<ArrayBuffer> {
  const { weights, bytes, widen } = BLOCK_TYPES[type];
  const out = new Float32Array((blocks.length / bytes) * weights);
  for (let at = 0, to = 0; at < blocks.length; at += bytes, to += weights) widen(blocks, at, out, to);
  return out;
}

const half = (block: Uint8Array, at: number): number => widenHalf(block[at] | (block[at + 1] << 8));

function plain(bytes: number, dtype: 'F32' | 'F16' | 'BF16'): BlockType {
  return {
    weights: 1,
    bytes,
    widen: (block, at, out, to) => out.set(toFloat32(block.slice(at, at + bytes), dtype), to),
  };
}

/** Q4_0, Q4_1, Q5_0, Q5_1: a scale, a minimum if `shifted`, the fifth bits of Q5, then two weights per byte. */
function smallBlock({ bits, shifted }: { bits: 4 | 5; shifted: boolean }): BlockType {
  const highAt = shifted ? 4 : 2;
  const lowAt = bits === 5 ? highAt + 4 : highAt;
  return {
    weights: 32,
    bytes: lowAt + 16,
    widen(block, at, out, to) {
      const scale = half(block, at);
      const zero = shifted ? 0 : 2 ** (bits - 1);
      const least = shifted ? half(block, at + 2) : -0; // adding -0 preserves the sign of a zero
      const high = (index: number): number =>
        bits === 5 ? ((block[at + highAt + (index >> 3)] >> (index & 7)) & 1) << 4 : 0;
      for (let index = 0; index < 16; index++) {
        const pair = block[at + lowAt + index];
        out[to + index] = scale * (((pair & 15) | high(index)) - zero) + least;
        out[to + index + 16] = scale * (((pair >> 4) | high(index + 16)) - zero) + least;
      }
    },
  };
}

function widenQ8(block: Uint8Array, at: number, out: Float32Array, to: number): void {
  const scale = half(block, at);
  for (let index = 0; index < 32; index++) out[to + index] = scale * signed(block[at + 2 + index]);
}

const signed = (byte: number): number => (byte << 24) >> 24;

/** Q4_K and Q5_K: eight groups of 32, each with a scale and a minimum of six bits. */
function widenQ45K(bits: 4 | 5, block: Uint8Array, at: number, out: Float32Array, to: number): void {
  const scale = half(block, at);
  const leastScale = half(block, at + 2);
  const six = (index: number): number => block[at + 4 + index];
  const highAt = at + 16;
  const lowAt = bits === 5 ? highAt + 32 : highAt;
  for (let group = 0; group < 8; group++) {
    const early = group < 4;
    const step = early ? six(group) & 63 : (six(group + 4) & 15) | ((six(group - 4) >> 6) << 4);
    const shift = early ? six(group + 4) & 63 : (six(group + 4) >> 4) | ((six(group) >> 6) << 4);
    const least = leastScale * shift;
    for (let index = 0; index < 32; index++) {
      const pair = block[lowAt + 32 * (group >> 1) + index];
      const low = group & 1 ? pair >> 4 : pair & 15;
      const high = bits === 5 ? ((block[highAt + index] >> group) & 1) << 4 : 0;
      out[to + 32 * group + index] = scale * step * (low | high) - least;
    }
  }
}

/** Q6_K: two halves of 128 weights with low four bits, high two bits, and a signed scale per 16 weights. */
function widenQ6K(block: Uint8Array, at: number, out: Float32Array, to: number): void {
  const scale = half(block, at + 208);
  for (let index = 0; index < 256; index++) {
    const second = index >> 7;
    const quarter = (index >> 5) & 3;
    const pair = block[at + 64 * second + (index & 63)];
    const low = quarter < 2 ? pair & 15 : pair >> 4;
    const high = (block[at + 128 + 32 * second + (index & 31)] >> (2 * quarter)) & 3;
    out[to + index] = scale * signed(block[at + 192 + (index >> 4)]) * ((low | (high << 4)) - 32);
  }
}
