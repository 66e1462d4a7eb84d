/**
 * The exponential moving average of a noisy curve, with the bias of its start taken out (as Adam does with its moments):
 * m_t = w m_(t-1) + (1 - w) x_t, shown is m_t / (1 - w^t). Without the division the curve would start near 0.
 * It runs over every step, before any thinning for the screen.
 */

/** Of the strong lines, until somebody chooses. */
export const usualSmoothing = 0.9;

/** @param weight - 0 leaves the curve as it is; below 1. Values that are not finite are passed over and stay gaps. */
export function smoothed(values: readonly (number | null)[], weight: number): (number | null)[] {
  let mean = 0;
  let remaining = 1;
  return values.map((value) => {
    if (value === null || !Number.isFinite(value)) return null;
    mean = weight * mean + (1 - weight) * value;
    remaining *= weight;
    return mean / (1 - remaining);
  });
}
