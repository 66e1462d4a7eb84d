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

function unclamped(estimator: KlConfig['estimator'], logRatio: number): number {
  switch (estimator) {
    case 'k1':
      return logRatio;
    case 'k2':
      return (logRatio * logRatio) / 2;
    case 'k3':
      return Math.expm1(-logRatio) + logRatio;
  }
}

/** @param logRatio log p - log pRef of one token */
export function estimateKl(estimator: KlConfig['estimator'], logRatio: number): number {
  return Math.max(-LIMIT, Math.min(LIMIT, unclamped(estimator, logRatio)));
}

/** Derivative of `estimateKl` with respect to log p. */
export function klSlope(estimator: KlConfig['estimator'], logRatio: number): number {
  if (Math.abs(unclamped(estimator, logRatio)) > LIMIT) {
    return 0;
  }
  switch (estimator) {
    case 'k1':
      return 1;
    case 'k2':
      return logRatio;
    case 'k3':
      return -Math.expm1(-logRatio);
  }
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
