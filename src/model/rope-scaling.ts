/**
 * Rotary frequencies that a model stretches to reach beyond the length that it was first trained on. Two kinds are
 * computed, after `modeling_rope_utils.py` of transformers:
 *
 *     linear   every frequency / factor, which is to say positions / factor (Chen et al. 2023)
 *     llama3   with w = 2 pi / frequency and L = the original length: waves longer than L / low take frequency / factor,
 *              waves shorter than L / high stay, and between the two they are mixed by (L / w - low) / (high - low)
 *
 * Left out, and refused by name: yarn and longrope, which also scale the attention, and dynamic, whose frequencies
 * depend on the length of the sequence at hand.
 */
import { isRecord, shown } from '../base/untrusted';
import { refuse, positiveField, type Fields } from './config-fields';

export type RopeScaling =
  | { kind: 'linear'; factor: number }
  | {
      kind: 'llama3';
      factor: number;
      lowFrequency: number;
      highFrequency: number;
      originalPositions: number;
    };

/** The fields of each kind of scaling, beside those that say which it is. */
const FIELDS: Record<string, readonly string[]> = {
  default: [],
  linear: ['factor'],
  llama3: ['factor', 'low_freq_factor', 'high_freq_factor', 'original_max_position_embeddings'],
};

/** What stands in `rope_scaling` or `rope_parameters` whatever the kind. */
function isNeutral(key: string, value: unknown): boolean {
  const isWhole = key === 'partial_rotary_factor' && (value === 1 || value === null);
  return isWhole || ['rope_theta', 'rope_type', 'type'].includes(key);
}

function readScaling(name: string, rope: Fields): RopeScaling | null {
  const kind = rope.rope_type ?? rope.type ?? 'default';
  if (typeof kind !== 'string' || !Object.hasOwn(FIELDS, kind)) {
    const known = Object.keys(FIELDS).join(', ');
    throw refuse('unsupported', `${name}.rope_type is ${shown(kind)}; Marble computes ${known}.`);
  }
  for (const [key, value] of Object.entries(rope)) {
    if (FIELDS[kind].includes(key) || isNeutral(key, value)) continue;
    throw refuse(
      'unsupported',
      `${name}.${key} is ${shown(value)}; Marble does not know it for ${kind} positions.`,
    );
  }
  if (kind === 'default') return null;
  const factor = positiveField(rope, 'factor');
  if (kind === 'linear') return { kind, factor };
  const lowFrequency = positiveField(rope, 'low_freq_factor');
  const highFrequency = positiveField(rope, 'high_freq_factor');
  if (highFrequency <= lowFrequency) {
    throw refuse(
      'value',
      `${name}.high_freq_factor ${highFrequency} is not above low_freq_factor ${lowFrequency}.`,
    );
  }
  const originalPositions = positiveField(rope, 'original_max_position_embeddings');
  return { kind: 'llama3', factor, lowFrequency, highFrequency, originalPositions };
}

type Rope = { ropeTheta: number; ropeScaling: RopeScaling | null };

/**
 * `rope_theta` and the scaling, from the top of config.json and `rope_scaling`, or from `rope_parameters` (transformers 5),
 * whose own `rope_theta` goes before the one at the top.
 *
 * @throws MarbleError `model/config-unsupported` for other kinds, `model/config-value` for impossible values, and where
 *   `rope_scaling` and `rope_parameters` contradict each other: transformers 5 reads the older of them
 */
export function readRope(fields: Fields): Rope {
  const [older, newer] = ['rope_scaling', 'rope_parameters'].map((name): Rope | null => {
    const rope = fields[name] ?? {};
    if (!isRecord(rope)) throw refuse('value', `${name} is ${shown(rope)}, not an object.`);
    if (Object.keys(rope).length === 0) return null;
    const theta = { rope_theta: rope.rope_theta ?? fields.rope_theta };
    return {
      ropeTheta: positiveField(theta, 'rope_theta', 10000),
      ropeScaling: readScaling(name, rope),
    };
  });
  if (older !== null && newer !== null && JSON.stringify(older) !== JSON.stringify(newer)) {
    throw refuse('value', 'rope_scaling and rope_parameters contradict each other.');
  }
  return newer ?? older ?? { ropeTheta: positiveField(fields, 'rope_theta', 10000), ropeScaling: null };
}

/** @param frequencies radians per position, one for each pair of a head's dimensions @returns those that the model uses */
export function scaleFrequencies(frequencies: Float64Array, scaling: RopeScaling | null): Float64Array {
  if (scaling === null) return frequencies;
  if (scaling.kind === 'linear') return frequencies.map((frequency) => frequency / scaling.factor);
  const { factor, lowFrequency, highFrequency, originalPositions } = scaling;
  return frequencies.map((frequency) => {
    const waves = (originalPositions * frequency) / (2 * Math.PI);
    const kept = Math.min(1, Math.max(0, (waves - lowFrequency) / (highFrequency - lowFrequency)));
    return kept * frequency + ((1 - kept) * frequency) / factor;
  });
}
