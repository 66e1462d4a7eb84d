/**
 * Compares the gradients of every kind of parameter with central differences of the loss. The step is large enough for the
 * precision of a float32 loss.
 */
import { expect } from 'vitest';
import type { Policy, TokenGradients, TokenStatistics } from '../../src/model/policy';

const sequences = [
  [3, 7, 1, 12, 9, 22, 4],
  [5, 2, 8, 8],
  [20, 11, 6, 0, 3, 14],
];
const promptLengths = [3, 2, 1];

/** Fixed, different values of d loss / d logprob and d loss / d entropy for every response token. */
function weightsFor(statistics: TokenStatistics): Required<TokenGradients> {
  const weigh = (rows: Float32Array[], phase: number): Float32Array[] =>
    rows.map((row, index) => row.map((_, token) => Math.sin(1 + phase + 3 * index + 1.7 * token)));
  return { logprobs: weigh(statistics.logprobs, 0), entropies: weigh(statistics.entropies, 0.5) };
}

async function loss(policy: Policy): Promise<number> {
  const statistics = await policy.logprobs(sequences, promptLengths, { temperature: 0.8 });
  const weights = weightsFor(statistics);
  let sum = 0;
  statistics.logprobs.forEach((row, index) =>
    row.forEach((value, token) => {
      sum += value * weights.logprobs[index][token];
      sum += statistics.entropies[index][token] * weights.entropies[index][token];
    }),
  );
  return sum;
}

/** Moves each parameter in turn along a random direction and compares with the gradient's component in that direction. */
export async function expectGradientsToMatchDifferences(policy: Policy): Promise<void> {
  await policy.backward(sequences, promptLengths, { temperature: 0.8, objective: weightsFor });
  const gradients = await policy.gradients();
  const state = await policy.state();
  const step = 3e-3;
  let offset = 0;
  for (const { name, shape } of policy.trainable) {
    const size = shape.reduce((product, dimension) => product * dimension, 1);
    const direction = Float32Array.from(
      { length: size },
      (_, i) => Math.sign(Math.sin(7 * i + 3)) / Math.sqrt(size),
    );
    const moved = async (sign: number): Promise<number> => {
      const parameters = state.parameters.slice();
      for (let i = 0; i < size; i++) parameters[offset + i] += sign * step * direction[i];
      policy.restore({ ...state, parameters });
      return loss(policy);
    };
    const difference = ((await moved(1)) - (await moved(-1))) / (2 * step);
    const along = direction.reduce((sum, value, i) => sum + value * gradients[name][i], 0);
    const scale = Math.max(1, Math.abs(along));
    expect(
      Math.abs(difference - along) / scale,
      `${name}: ${along} by gradient, ${difference} by difference`,
    ).toBeLessThan(5e-3);
    offset += size;
  }
  policy.restore(state);
}
