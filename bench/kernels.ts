/**
 * `npm run bench -- kernels [135m|half-billion|tiny]`: GPU time of each kernel in a decoding step and a training step of
 * a model with random weights, by the device's timestamps. Prints one table for each, and the time of the same steps
 * without timestamps.
 */
import { engine, gpuTimes } from './gpu-times';
import { loadPolicy, presets, type Policy } from '../src/index';
import { knownModelConfig } from '../src/run/config/known-models';
import { halfBillionConfig } from '../tests/fixtures/half-billion';
import { randomModelFiles } from './real/random-weights';

const small = { ...knownModelConfig(presets['first-run-135m'].model), torch_dtype: 'bfloat16' };
const models: Record<string, Record<string, unknown>> = {
  '135m': small,
  'half-billion': halfBillionConfig(),
  tiny: { ...small, hidden_size: 72, intermediate_size: 96, vocab_size: 512, head_dim: 8 },
};

const name = process.argv[3] ?? '135m';
const [prompts, samples, promptTokens, newTokens] = name === 'tiny' ? [2, 2, 8, 32] : [8, 4, 150, 112];
const policy = await loadPolicy(
  engine,
  { files: randomModelFiles(models[name]) },
  { lora: { rank: 8, alpha: 16 } },
);
console.log(
  `${name} on ${engine.capabilities!.adapterName}: ${prompts} x ${samples} answers of ${newTokens} tokens`,
);

const asked = Array.from({ length: prompts }, (_, prompt) =>
  Array.from({ length: promptTokens }, (_, t) => (Math.imul(prompt * 997 + t + 1, 2654435761) >>> 8) % 500),
);
await decode(policy, 20);
await trainStep(policy);

for (const [title, steps, work] of [
  ['decoding with the prompts', newTokens, () => decode(policy, newTokens)],
  ['training', 1, () => trainStep(policy)],
] as const) {
  const before = { ...engine.counts() };
  const cpu = process.cpuUsage();
  const start = performance.now();
  await work();
  const wall = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  const dispatches = engine.counts().dispatches - before.dispatches;
  console.log(
    `\n${title}: ${(wall / steps).toFixed(2)} ms a step, ${((user + system) / 1000 / steps).toFixed(2)} ms of CPU, ` +
      `${(dispatches / steps).toFixed(0)} dispatches, ${((engine.counts().submits - before.submits) / steps).toFixed(1)} submits`,
  );
  const times = await gpuTimes(work);
  const total = [...times.values()].reduce((sum, { ms }) => sum + ms, 0);
  console.log(`GPU time ${(total / steps).toFixed(2)} ms a step`);
  for (const [kernel, { ms, count }] of [...times].sort(([, a], [, b]) => b.ms - a.ms).slice(0, 14))
    console.log(
      `| ${kernel} | ${(ms / steps).toFixed(3)} ms | ${(count / steps).toFixed(1)} | ${((1000 * ms) / count).toFixed(1)} µs |`,
    );
}
process.exit(0);

async function decode(from: Policy, count: number): Promise<void> {
  await from.generate(asked, {
    ...{ samplesPerPrompt: samples, maxNewTokens: count, temperature: 1, seed: 1, stream: 0, stopIds: [] },
  });
}

async function trainStep(from: Policy): Promise<void> {
  for (const prompt of asked) {
    const sequences = Array.from({ length: samples }, (_, s) => [
      ...prompt,
      ...Array.from({ length: newTokens }, (_, t) => (s * 31 + t * 7) % 500),
    ]);
    await from.backward(
      sequences,
      sequences.map(() => prompt.length),
      {
        objective: ({ logprobs }) => ({ logprobs: logprobs.map((row, s) => row.map(() => (s - 1) / 1000)) }),
      },
    );
  }
  await from.update({
    ...{ learningRate: 1e-4, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, maxGradNorm: 1 },
  });
  await engine.check();
}
