/**
 * Scaling of the rotary frequencies for sequences beyond the original training length. Two kinds are implemented, as in
 * `modeling_rope_utils.py` of transformers:
 *
 *     linear   every frequency / factor, equivalent to positions / factor (Chen et al. 2023)
 *     llama3   with the wavelength w = 2 pi / frequency and the original length L: frequency / factor if w > L / low, unchanged
 *              if w < L / high, and interpolated between the two with the weight (L / w - low) / (high - low)
 *
 * Left out, with an error: yarn and longrope, which also scale the attention, and dynamic, whose frequencies depend on the
 * sequence length.
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

/** Parameters of each kind of scaling. */
const FIELDS: Record<string, readonly string[]> = {
  default: [],
  linear: ['factor'],
  llama3: ['factor', 'low_freq_factor', 'high_freq_factor', 'original_max_position_embeddings'],
};

/** True for fields of `rope_scaling` or `rope_parameters` that are valid for every kind. */
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
      `${name}.${key} is ${shown(value)}; Marble does not support it for ${kind} positions.`,
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
 * Reads `rope_theta` and the scaling, either from the top level of config.json and `rope_scaling`, or from `rope_parameters`
 * (transformers 5), whose `rope_theta` has precedence over that of the top level.
 *
 * @throws MarbleError `model/config-unsupported` for other kinds; `model/config-value` for invalid values, and if `rope_scaling`
 *   and `rope_parameters` contradict each other (transformers 5 reads `rope_scaling`)
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

/** @param frequencies radians per position, one per pair of a head's dimensions @returns the scaled frequencies */
export function scaleFrequencies(frequencies: Float64Array, scaling: RopeScaling | null): Float64Array {
  if (scaling === null) return frequencies;
  if (scaling.kind === 'linear') return frequencies.map((frequency) => frequency / scaling.factor);
  const { factor, lowFrequency, highFrequency, originalPositions } = scaling;
  return frequencies.map((frequency) => {
    const waves = (originalPositions * frequency) / (2 * Math.PI);
    const unscaled = Math.min(1, Math.max(0, (waves - lowFrequency) / (highFrequency - lowFrequency)));
    return unscaled * frequency + ((1 - unscaled) * frequency) / factor;
  });
}
