/**
 * Validation: the accuracy that early stopping and the best checkpoint go by, on a set of its own, so that the reported
 * set has chosen nothing. Greedy, as the evaluation is.
 */
import type { Policy } from '../model/policy';
import { wilson, type Accuracy } from '../reward/accuracy';
import type { ItemSource } from './data';
import { reporting } from './progress';
import { evaluationRows, sampleItems } from './rollout';

/**
 * @yields the share of the set done, so that a trainer can pause in between
 * @throws MarbleError what `encodePrompt` and `Policy.generate` throw
 */
export async function* validateInParts(
  policy: Policy,
  { validation, suite: { reward, maxNewTokens } }: ItemSource,
  signal?: AbortSignal,
): AsyncGenerator<number, Accuracy, void> {
  const rows = evaluationRows(policy, maxNewTokens);
  let right = 0;
  for (let start = 0; start < validation.length; start += rows) {
    const items = validation.slice(start, start + rows);
    const samples = yield* reporting((report) =>
      sampleItems(
        policy,
        items,
        {
          samplesPerPrompt: 1,
          maxNewTokens,
          temperature: 0,
          seed: 0,
          signal,
          onProgress: (decoded) =>
            report((start + (items.length * decoded) / maxNewTokens) / validation.length),
        },
        reward,
      ),
    );
    right += samples.filter((sample) => sample.reward.correct).length;
    yield (start + items.length) / validation.length;
  }
  return wilson(right, validation.length);
}
