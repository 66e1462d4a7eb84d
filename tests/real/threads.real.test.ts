/** `first-run.real.test.ts` compares the bits of Node and Chromium. */
import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { filesIn } from '../../src/command/model-places';
import { loadPolicy, openEngine, type Policy } from '../../src/index';
import { folderForAll } from '../fixtures/folder';
import { adamW } from '../model/tiny';
import { hasRealModel, writeRealModel } from './model';

/**
 * SHA-256 of a step's inputs and outputs: samples of two prompts, reference, gradients and the trained adapter.
 */
async function hashStep(policy: Policy): Promise<string> {
  const prompts = [
    'Where is the key?',
    'Anna left the room. Ben moved the ball to the box. Where is it now?',
  ].map((content) => policy.tokenizer!.chat([{ role: 'user', content }]));
  const passed: ArrayLike<number>[] = [];
  policy.freezeReference();
  const sampling = { samplesPerPrompt: 2, maxNewTokens: 12, temperature: 1, seed: 1, stream: 1, stopIds: [] };
  const samples = await policy.generate(prompts, sampling);
  for (const { tokens, logprobs } of samples) passed.push(tokens, logprobs);
  const sequences = samples.map(({ tokens }, i) => [...prompts[i >> 1], ...tokens]);
  const lengths = samples.map((_, i) => prompts[i >> 1].length);
  passed.push(...(await policy.logprobs(sequences, lengths, { adapter: 'off' })).logprobs);
  await policy.backward(sequences, lengths, {
    objective: ({ logprobs }) => ({ logprobs: logprobs.map((row, i) => row.map(() => (i - 1.5) / 48)) }),
  });
  passed.push(...Object.values(await policy.gradients()));
  await policy.update(adamW(1e-3));
  passed.push((await policy.state()).parameters);
  const hash = createHash('sha256');
  for (const row of passed) hash.update(Float32Array.from(row));
  return hash.digest('hex');
}

describe.skipIf(!hasRealModel())('a step of SmolLM2-135M-Instruct', () => {
  const model = folderForAll('real-threads');
  beforeAll(() => writeRealModel(model));

  it('has the same bits on 1, 2 and 4 threads', async () => {
    const results: { threads: number; fma: boolean; hash: string }[] = [];
    for (const threads of [1, 2, 4]) {
      const engine = await openEngine({ backend: 'wasm', threads });
      const source = { files: await filesIn(model) };
      const policy = await loadPolicy(engine, source, { lora: { rank: 8, alpha: 16 } });
      results.push({ threads: engine.threads, fma: engine.fma, hash: await hashStep(policy) });
      policy.dispose();
      engine.dispose();
    }

    const { fma, hash } = results[0];
    expect(results).toEqual([1, 2, 4].map((threads) => ({ threads, fma, hash })));
  });
});
