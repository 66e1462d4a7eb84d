/** `reward.py` with a run's settings written into it. */
import { resolveAlgorithm } from '../run/algorithm';
import type { RunConfig } from '../run/config';
import source from './reward.py?raw';

/** @param stopIds ids that end a completion: the terms on length ask whether one did */
export function rewardProgram(
  { reward, algorithm, rollout }: Pick<RunConfig, 'reward' | 'algorithm' | 'rollout'>,
  stopIds: readonly number[],
): string {
  const { overlongBuffer, lengthPenalty, lengthPenaltyOn, truncationPenalty } = resolveAlgorithm(algorithm);
  const hasLengthTerms = overlongBuffer > 0 || lengthPenalty > 0 || truncationPenalty > 0;
  const settings = JSON.stringify({
    preset: reward.preset,
    minimumThinkWords: reward.minimumThinkWords ?? 0,
    targetThinkWords: reward.targetThinkWords ?? 0,
    length: hasLengthTerms
      ? {
          limit: rollout.maxNewTokens,
          overlongBuffer,
          lengthPenalty,
          lengthPenaltyOn,
          truncationPenalty,
          stopIds,
        }
      : null,
  });
  return source.replace(/^SETTINGS = .*$/m, () => `SETTINGS = json.loads('${settings}')`);
}
