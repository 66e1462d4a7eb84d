/**
 * Validation: the accuracy that early stopping and the best checkpoint go by, on a set of its own, so that the reported
 * set has chosen nothing. Greedy, as the evaluation is.
 */
import type { PassProgress, Policy } from '../model/policy';
import { wilson, type Accuracy } from '../reward/accuracy';
import type { ItemSource } from './data';
import { evaluationRows, sampleItems } from './rollout';

/**
 * @param onProgress is told the fraction of the set done
 * @throws MarbleError what `encodePrompt` and `Policy.generate` throw
 */
export async function validate(
  policy: Policy,
  { validation, suite: { reward, maxNewTokens } }: ItemSource,
  onProgress?: PassProgress,
): Promise<Accuracy> {
  const tick = async (done: number): Promise<void> => onProgress?.(done / validation.length);
  const rows = evaluationRows(policy, maxNewTokens);
  let right = 0;
  for (let start = 0; start < validation.length; start += rows) {
    const items = validation.slice(start, start + rows);
    const samples = await sampleItems(
      policy,
      items,
      {
        samplesPerPrompt: 1,
        maxNewTokens,
        temperature: 0,
        seed: 0,
        onProgress: (decoded) => tick(start + (items.length * decoded) / maxNewTokens),
      },
      reward,
    );
    right += samples.filter((sample) => sample.reward.correct).length;
    await tick(start + items.length);
  }
  return wilson(right, validation.length);
}
