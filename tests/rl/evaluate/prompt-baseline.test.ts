import { expect, it } from 'vitest';
import { openItems, withPromptBaseline } from '../../../src/rl/data';
import { evaluate } from '../../../src/rl/evaluate/evaluate';
import { score } from '../../../src/reward/score';
import { compactPrompt, formatPrompt } from '../../../src/tom/text/prompts';
import { itemsOf } from '../../tom/items';
import { smallConfig, warmTable } from '../runs';

const [item] = itemsOf('hitom', 1);
const chat = (baseline?: 'plain' | 'cot') => {
  const prompt = formatPrompt({ ...item, baseline, prompt: { instruction: 'The run’s own.' } }, 'chat');
  if (prompt.kind !== 'chat') throw new Error('a chat prompt is asked for');
  return prompt;
};

it('a baseline has its own instruction in a chat prompt, and plain leaves only the answer to write', () => {
  expect(chat().messages[0].content).toBe('The run’s own.');
  expect(chat('cot').messages[0].content).toContain('Think step by step between <think> and </think>');
  expect(chat('cot').prefill).toBe('<think>\n');
  expect(chat('plain').messages[0].content).not.toMatch(/think/i);
  expect(chat('plain').prefill).toBe('<think>\n</think> <answer>');
  expect(chat('plain').messages[1]).toEqual(chat().messages[1]);
});

it('a compact prompt of plain ends in the opened answer, one of cot is the usual one', () => {
  expect(compactPrompt({ ...item, baseline: 'plain' })).toBe(`${compactPrompt(item)} </think> <answer>`);
  expect(compactPrompt({ ...item, baseline: 'cot' })).toBe(compactPrompt(item));
});

it('a completion of a plain prompt is read after what the prompt gave', () => {
  const plain = { ...item, baseline: 'plain' as const };
  const { correct, formatHolds, think } = score(` ${item.answer} </answer>`, plain, { preset: 'tom-rl' });
  expect([correct, formatHolds, think]).toEqual([true, true, '']);
  expect(score(` ${item.answer} </answer>`, item, { preset: 'tom-rl' }).formatHolds).toBe(false);
});

it('an evaluation by a baseline asks every set by it', async () => {
  const { evaluation } = smallConfig();
  const { suite } = openItems(smallConfig({ evaluation: { ...evaluation, hardItems: 20 } }));
  const plain = withPromptBaseline(suite, 'plain');
  expect(plain.hard.length).toBeGreaterThan(0);
  const all = [...plain.items, ...plain.hard, ...Object.values(plain.heldOut).flat(), ...plain.tasks];
  expect(new Set(all.map(({ baseline }) => baseline))).toEqual(new Set(['plain']));
  const report = await evaluate(await warmTable(), plain);
  expect(report.samples[0].prompt.endsWith('<think> </think> <answer>')).toBe(true);
  expect(report.emptyThinkFraction).toBe(1);
});
