/** A pass of any length leaves Node its signals, and a worker its messages: it yields between its blocks. */
import { afterEach, expect, it, vi } from 'vitest';
import type { Policy } from '../../../src/model/policy';
import { yieldToMessages } from '../../../src/base/waits';
import { engine, openEngineForAll } from '../../fixtures/engine';
import { pulling, tinyPolicy } from '../tiny';

openEngineForAll('wasm');
afterEach(() => void vi.restoreAllMocks());

const layers = 7;
/** A clock that every look advances by a second. */
let now = 1e9;
const sequence = [3, 4, 5, 6, 7];
const sampling = { samplesPerPrompt: 1, maxNewTokens: 4, temperature: 1, seed: 1, stopIds: [] };

it.each<[string, number, (policy: Policy) => Promise<unknown>]>([
  ['reads prompts', layers - 1, (policy) => policy.readPrompts([sequence])],
  ['scores completions', layers, (policy) => policy.logprobs([sequence], [2])],
  ['samples', layers - 1 + sampling.maxNewTokens, (policy) => policy.generate([sequence], sampling)],
  ['computes logits', layers - 1, (policy) => policy.logits([sequence])],
  ['computes gradients', 2 * layers + 1, (policy) => policy.backward([sequence], [2], pulling(1))],
])('what %s yields between its blocks where each takes long', async (_, yields, act) => {
  const policy = await tinyPolicy(engine, { layers });
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 1000));
  const timers = vi.spyOn(globalThis, 'setTimeout');
  await act(policy);
  expect(timers.mock.calls.length).toBeGreaterThanOrEqual(yields);
});

it('a clock that is set back does not end the yields', async () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(1e15);
  await yieldToMessages();
  clock.mockRestore();
  const timers = vi.spyOn(globalThis, 'setTimeout');
  await yieldToMessages();
  expect(timers).toHaveBeenCalledOnce();
});
