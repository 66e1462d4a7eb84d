import { describe, expect, it } from 'vitest';
import type { Policy } from '../../src/model/policy';
import { openItems, withPromptBaseline } from '../../src/rl/data';
import { evaluate } from '../../src/rl/evaluate/evaluate';
import { score } from '../../src/reward/score';
import { answerQuestion } from '../../src/rl/evaluate/answer';
import { decodedLengths, encodePrompt } from '../../src/rl/rollout';
import { goldExample } from '../../src/rl/supervised/sft';
import { checkRunConfig } from '../../src/run/config/check-config';
import type { RunConfig } from '../../src/run/config/config';
import { presets } from '../../src/run/config/presets';
import type { Item, PromptSettings } from '../../src/tom/item';
import { compactPrompt, formatPrompt } from '../../src/tom/text/prompts';
import { smallConfig, warmTable } from './runs';
import { itemsOf } from '../tom/items';
import { tinyConfig } from '../model/tiny';
import { refusal } from '../model/refusal';
import { withTemplate } from '../model/tokenizer/tiny-tokenizer';

const base = presets['tom-rl'];

function runOf(source: string, settings: PromptSettings = {}): RunConfig {
  return checkRunConfig({
    ...base,
    steps: 1,
    data: { source, orders: [1], dropShortcutRight: 0, reentry: false },
    rollout: { ...base.rollout, promptsPerStep: 2, ...settings },
    evaluation: {
      ...base.evaluation,
      items: 2,
      finalItems: 2,
      hardItems: 2,
      taskItems: 1,
    },
  });
}

/** A chat template that adds its own system message, as those of SmolLM2 and Qwen2.5 do. */
const tokenizer = withTemplate({
  chat_template:
    "{% if messages[0]['role'] != 'system' %}system:own<|end|>{% endif %}" +
    "{% for m in messages %}{{ m['role'] }}:{{ m['content'] }}<|end|>{% endfor %}" +
    "{% if add_generation_prompt %}{{ 'assistant:' }}{% endif %}",
});
const policy = { tokenizer, config: { ...tinyConfig, maxPositions: 1e6 } } as Policy;

/** The system message and the user message. */
function messagesOf(item: Item): [system: string, user: string] {
  const text = tokenizer.decode(encodePrompt(policy, item, 8), { keepSpecial: true });
  const shape = /^system:([^]*)<\|end\|>user:([^]*)<\|end\|>assistant:<think>\n$/.exec(text);
  if (shape === null) throw new Error(text);
  return [shape[1], shape[2]];
}

const promptOf = (source: string, settings: PromptSettings) => {
  const [item] = openItems(runOf(source, settings)).training(0, 1);
  const [system, user] = messagesOf(item);
  for (const text of [item.story, item.question]) expect(user).toContain(text);
  return { item, system, user };
};
const tags = ['<think>', '</think>', '<answer>', '</answer>'];
const task = (source: string): string => {
  const { system, user } = promptOf(source, {});
  return source === 'rooms' ? user.split('\n\n')[0] : system;
};

describe('the prompt of a run', () => {
  it('defaults to the task’s: a system message, or in rooms stories one sentence of the user message', () => {
    const { item, system, user } = promptOf('hitom', {});
    expect(system).toMatch(/^You read a short story/);
    expect(user).toBe(`Story:\n${item.story}\n\nQuestion: ${item.question}`);
    const rooms = promptOf('rooms', {});
    expect(rooms.system).toBe('own');
    expect(rooms.user).toBe(`${task('rooms')}\n\n${rooms.item.story}\n\n${rooms.item.question}`);
    expect(task('rooms').match(/[.?!]/g)).toHaveLength(1);
    for (const tag of tags)
      expect([task('hitom'), task('rooms')].every((one) => one.includes(tag))).toBe(true);
  });

  it.each(['hitom', 'rooms'])('of %s has the configured system prompt', (source) => {
    const systems: [PromptSettings, string][] = [
      [{ systemPrompt: 'template' }, 'own'],
      [{ systemPrompt: 'none' }, ''],
      [{ systemText: 'Be brief.' }, 'Be brief.'],
      [{ systemText: 'Be brief.', systemPrompt: 'none' }, 'Be brief.'],
    ];
    for (const [settings, expected] of systems) {
      const { system, user } = promptOf(source, settings);
      expect(system).toBe(expected);
      expect(user.startsWith(`${task(source)}\n\n`)).toBe(true);
    }
  });

  it('has its own instruction instead of the task’s', () => {
    expect(promptOf('hitom', { instruction: 'Think.' }).system).toBe('Think.');
    expect(promptOf('rooms', { instruction: 'Think.' }).user).toMatch(/^Think\.\n\n/);
    const { system, user } = promptOf('hitom', { instruction: 'Think.', systemPrompt: 'template' });
    expect([system, user.split('\n\n')[0]]).toEqual(['own', 'Think.']);
    expect(promptOf('rooms', { instruction: '', systemText: '' })).toMatchObject({ system: 'own' });
    const { item } = promptOf('hitom', { instruction: 'Think.' });
    expect(compactPrompt(item)).toBe(`Think. ${item.story} ${item.question} <think>`);
  });

  it.each([
    {},
    { systemPrompt: 'none' },
    { systemText: 'S <|end|>', instruction: 'I <think> </think>' },
  ] as const)('with %o is the same in training, evaluation and supervised learning', (settings) => {
    const config = runOf('rooms', settings);
    const source = openItems(config);
    const { suite } = source;
    const training = source.training(0, 2);
    const sets = [training, suite.items, ...Object.values(suite.heldOut), suite.tasks];
    for (const item of sets.flat()) {
      expect(item.prompt === undefined).toBe(Object.keys(settings).length === 0);
      const prompt = formatPrompt(item, 'chat');
      if (prompt.kind !== 'chat') throw new Error('a chat prompt was asked for');
      const { messages, prefill } = prompt;
      expect(encodePrompt(policy, item, 8)).toEqual(tokenizer.chat(messages, { prefill }));
    }
    expect(goldExample(policy, training[0], 'full').prompt).toEqual(encodePrompt(policy, training[0], 8));
  });
});

/** A chat template with this generation prompt. */
const templateOf = (generationPrompt: string): string =>
  `{% for m in messages %}{{ m['role'] }}:{{ m['content'] }}<|end|>{% endfor %}` +
  `{% if add_generation_prompt %}{{ ${JSON.stringify(generationPrompt)} }}{% endif %}`;

it.each([
  ['does not open the block', 'assistant\n', 'assistant\n<think>\n'],
  ['opens the block (R1-Distill, Qwen3-Thinking)', 'assistant\n<think>\n', 'assistant\n<think>\n'],
  ['opens the block without a line break', 'assistant:<think>', 'assistant:<think>'],
  ['closes an empty block', 'assistant\n<think>\n\n</think>\n\n', 'assistant\n<think>\n'],
])('the prompt from a template that %s has one open block', (_, generationPrompt, ending) => {
  const thinking = withTemplate({ chat_template: templateOf(generationPrompt) });
  const config = { ...base, steps: 1, rollout: { ...base.rollout, promptsPerStep: 2 } };
  const source = openItems(config);
  for (const item of [...source.training(0, 2), ...source.suite.items]) {
    const ids = encodePrompt({ ...policy, tokenizer: thinking }, item, 8);
    const prompt = thinking.decode(ids, { keepSpecial: true });
    expect(prompt.slice(prompt.lastIndexOf('<|end|>'))).toBe(`<|end|>${ending}`);
  }
});

it('a visitor’s question has the prompt of the run', async () => {
  const config = presets['ladder-25k'];
  const rollout = { ...config.rollout, maxNewTokens: 2, instruction: 'where ann' };
  const [item] = openItems(config).training(0, 1);
  const { greedy } = await answerQuestion(
    await warmTable(),
    item,
    { ...config, rollout },
    { samples: 1, seed: 1, step: 0 },
  );
  expect(greedy.prompt).toBe(`where ann ${item.story} ${item.question} <think>`);
});

it.each([['x'.repeat(701)], ['a\u0000b'], ['a\u001bb'], ['\ud83d']])('a prompt of %j is refused', (text) => {
  for (const name of ['systemText', 'instruction'])
    expect(() => checkRunConfig({ ...base, rollout: { ...base.rollout, [name]: text } })).toThrow(
      refusal('share/out-of-range', name),
    );
});

const [asked] = itemsOf('hitom', 1);
const chat = (baseline?: 'plain' | 'cot') => {
  const prompt = formatPrompt({ ...asked, baseline, prompt: { instruction: 'The run’s own.' } }, 'chat');
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

it('a completion of a plain prompt is read after what the prompt gave', () => {
  const plain = { ...asked, baseline: 'plain' as const };
  const { correct, formatHolds, think } = score(` ${asked.answer} </answer>`, plain, { preset: 'tom-rl' });
  expect([correct, formatHolds, think]).toEqual([true, true, '']);
  expect(score(` ${asked.answer} </answer>`, asked, { preset: 'tom-rl' }).formatHolds).toBe(false);
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

it('the longest of very many prompts is found', () => {
  const prompts = Array.from({ length: 200_000 }, (_, index) => [1, 2].slice(index % 2));
  expect(decodedLengths(prompts, 3)).toEqual({ promptTokens: 2, newTokens: 3 });
});
