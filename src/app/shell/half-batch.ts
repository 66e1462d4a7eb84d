/** What a run that was too large for the GPU can do with less. */
import type { RunConfig } from '../../run/config';

/** The same run with half as many sequences in a training pass; null where it is one already. */
export function withHalfBatch(config: RunConfig): RunConfig | null {
  const { rollout, optimizer } = config;
  const all = rollout.promptsPerStep * rollout.samplesPerPrompt;
  const now = optimizer.microBatch === 0 ? all : Math.min(optimizer.microBatch, all);
  return now < 2 ? null : { ...config, optimizer: { ...optimizer, microBatch: Math.ceil(now / 2) } };
}
