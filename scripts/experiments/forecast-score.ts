/** How good forecasts of yes-or-no outcomes were. */

export interface Forecast {
  probability: number;
  outcome: boolean;
}

/** One bin of a reliability diagram. */
export interface ReliabilityBin {
  low: number;
  high: number;
  count: number;
  /** Means over the bin; NaN where it is empty. */
  forecast: number;
  observed: number;
}

/** Mean squared error of the probabilities (Brier 1950). */
export function brier(forecasts: readonly Forecast[]): number {
  return mean(forecasts.map(({ probability, outcome }) => (probability - Number(outcome)) ** 2));
}

/** 1 - Brier / Brier of the base rate: 1 perfect, 0 no better than the base rate; NaN where all outcomes are the same. */
export function brierSkill(forecasts: readonly Forecast[]): number {
  const base = mean(forecasts.map(({ outcome }) => Number(outcome)));
  const reference = base * (1 - base);
  return reference === 0 ? NaN : 1 - brier(forecasts) / reference;
}

/** Probability that a yes has the higher forecast than a no, ties half; NaN where all outcomes are the same. */
export function areaUnderCurve(forecasts: readonly Forecast[]): number {
  const yes = forecasts.filter(({ outcome }) => outcome);
  const no = forecasts.filter(({ outcome }) => !outcome);
  let higher = 0;
  for (const a of yes) {
    for (const b of no)
      higher += a.probability > b.probability ? 1 : a.probability === b.probability ? 0.5 : 0;
  }
  return yes.length * no.length === 0 ? NaN : higher / (yes.length * no.length);
}

/** Bins of equal width over [0, 1]; 1 belongs to the last. */
export function reliability(forecasts: readonly Forecast[], bins: number): ReliabilityBin[] {
  return Array.from({ length: bins }, (_, bin) => {
    const inside = forecasts.filter(
      ({ probability }) => Math.min(bins - 1, Math.floor(probability * bins)) === bin,
    );
    return {
      low: bin / bins,
      high: (bin + 1) / bins,
      count: inside.length,
      forecast: mean(inside.map(({ probability }) => probability)),
      observed: mean(inside.map(({ outcome }) => Number(outcome))),
    };
  });
}

/** NaN of nothing. */
function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
