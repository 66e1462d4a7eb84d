/**
 * Scaling of the rotary frequencies for sequences beyond the original training length. Two kinds are implemented, as in
 * `modeling_rope_utils.py` of transformers:
 *
 *     linear   every frequency / factor, equivalent to positions / factor (Chen et al. 2023)
 *     llama3   with the wavelength w = 2 pi / frequency and the original length L: frequency / factor if w > L / low, unchanged
 *              if w < L / high, and interpolated between the two with the weight (L / w - low) / (high - low)
 *
 * Left out, with an error in `config.ts`: yarn and longrope, which also scale the attention, and dynamic, whose frequencies depend
 * on the sequence length.
 */
export type RopeScaling =
  | { kind: 'linear'; factor: number }
  | {
      kind: 'llama3';
      factor: number;
      lowFrequency: number;
      highFrequency: number;
      originalPositions: number;
    };

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
