import { describe, expect, it } from 'vitest';
import { openEngine } from '../../src/gpu/engine';
import { loadPolicy } from '../../src/model/load-policy';
import { hasShared, readSharedJson, sharedFiles } from '../fixtures/shared';
import { largestDifference } from './golden-policy';

interface Expected {
  ids: number[];
  next_token_logprob: number[];
  logits: Record<string, number[]>;
}

describe.skipIf(!hasShared('fixtures/stories260K'))('stories260K, a model that was really trained', () => {
  it('continues with the 257 ids and the logits that llama2.c gives', async () => {
    const expected = readSharedJson<Expected>('fixtures/stories260K/expected_greedy.json');
    const engine = await openEngine({ backend: 'wasm' });
    const policy = await loadPolicy(
      engine,
      sharedFiles('fixtures/stories260K/hf-qwen2-layout', ['config.json', 'model.safetensors']),
    );
    const [completion] = await policy.generate([expected.ids.slice(0, 1)], {
      samplesPerPrompt: 1,
      maxNewTokens: expected.ids.length - 1,
      temperature: 0,
      seed: 0,
      stopIds: [],
    });
    expect(completion.tokens).toEqual(expected.ids.slice(1));
    expect(largestDifference(completion.logprobs, expected.next_token_logprob)).toBeLessThan(1e-3);
    const [logits] = await policy.logits([expected.ids.slice(0, 32)]);
    for (const [position, row] of Object.entries(expected.logits)) {
      const start = Number(position) * policy.config.vocabularySize;
      expect(largestDifference(logits.subarray(start, start + row.length), row)).toBeLessThan(1e-3);
    }
    policy.dispose();
    engine.dispose();
  });
});
