/**
 * Compares the gradients of every kind of parameter with central differences of the loss. The step is large enough for the
 * precision of a float32 loss.
 */
import { expect } from 'vitest';
import type { Engine } from '../../src/gpu/engine';
import type { ModelConfig } from '../../src/model/config';
import { expectedTensors } from '../../src/model/files/tensor-table';
import type { Policy, TokenGradients, TokenStatistics } from '../../src/model/policy';
import { tinyPolicy, type TinyAdapter } from './tiny';

const adapter = { rank: 3, alpha: 6, seed: 2 };

export const gradientCases: [string, Partial<ModelConfig>, TinyAdapter | null][] = [
  ['an untied head, as many key/value heads as heads', { tiedHead: false, kvHeads: 3 }, null],
  ['a tied head, one key/value head', {}, null],
  ['norms on heads and no bias', { headNorm: true, attentionBias: false, architecture: 'qwen3' }, null],
  ['an adapter of rank 3', {}, adapter],
  ['an adapter of some projections', {}, { ...adapter, without: /k_proj|gate_proj/ }],
];

/** Two share each prompt. */
const sequences = [
  [3, 7, 1, 12, 9, 22, 4],
  [3, 7, 1, 8],
  [20, 11, 6, 0, 3, 14],
  [20, 11, 2],
];
const promptLengths = [3, 3, 2, 2];

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
export async function expectGradientsToMatchDifferences(
  engine: Engine,
  changes: Partial<ModelConfig>,
  lora: TinyAdapter | null,
): Promise<void> {
  const policy = await tinyPolicy(engine, changes, lora);
  const names = policy.trainable.map(({ name }) => name);
  if (lora === null) expect(names).toEqual(expectedTensors(policy.config).map(({ name }) => name));
  else {
    expect(names).toHaveLength(lora.without ? 20 : 28);
    // B is zero at first, which makes the gradient of A zero.
    const state = await policy.state();
    policy.restore({ ...state, parameters: state.parameters.map((value, i) => value + 0.2 * Math.sin(i)) });
  }
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
  policy.dispose();
}
