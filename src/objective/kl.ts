/**
 * KL divergence from the reference policy, estimated from the sampled tokens (J. Schulman, "Approximating KL divergence",
 * 2020). With d = log p - log pRef of a token sampled from p:
 *
 *   k1 = d              unbiased, may be negative          slope 1
 *   k2 = d^2 / 2        biased, with an unbiased gradient  slope d
 *   k3 = e^-d - 1 + d   unbiased, never negative           slope 1 - e^-d
 *
 * All three are clamped to [-10, 10], as in OpenRLHF; beyond the limits the slope is 0. In the loss the expected gradient of
 * k1 is zero; it is available because papers compare it. Left out: the divergence over the full vocabulary, which needs
 * every logit.
 */
import type { KlConfig } from './algorithm';

const LIMIT = 10;

interface Estimator {
  /** @param d log p - log pRef of one token */
  value: (d: number) => number;
  slope: (d: number) => number;
}

const estimators: Record<KlConfig['estimator'], Estimator> = {
  k1: { value: (d) => d, slope: () => 1 },
  k2: { value: (d) => (d * d) / 2, slope: (d) => d },
  k3: { value: (d) => Math.expm1(-d) + d, slope: (d) => -Math.expm1(-d) },
};

/** @param logRatio log p - log pRef of one token */
export function estimateKl(estimator: KlConfig['estimator'], logRatio: number): number {
  return Math.max(-LIMIT, Math.min(LIMIT, estimators[estimator].value(logRatio)));
}

/** Derivative of `estimateKl` with respect to log p. */
export function klSlope(estimator: KlConfig['estimator'], logRatio: number): number {
  const { value, slope } = estimators[estimator];
  return Math.abs(value(logRatio)) > LIMIT ? 0 : slope(logRatio);
}

/**
 * Next value of the adaptive coefficient (Ziegler et al., "Fine-Tuning Language Models from Human Preferences", 2019). It
 * rises while the KL exceeds the target and falls otherwise, by at most 20 % per `horizon` rollouts.
 */
export function nextKlCoefficient(
  coefficient: number,
  measuredKl: number,
  rollouts: number,
  kl: Pick<KlConfig, 'target' | 'horizon'>,
): number {
  if (kl.target === 0) {
    return coefficient;
  }
  const error = Math.max(-0.2, Math.min(0.2, measuredKl / kl.target - 1));
  return coefficient * (1 + (error * rollouts) / kl.horizon);
}
