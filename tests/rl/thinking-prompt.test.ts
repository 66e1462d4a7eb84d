import { expect, it } from 'vitest';
import { exportRows } from '../../src/export/cluster/question-rows';
import type { Policy } from '../../src/model/policy';
import { encodePrompt } from '../../src/rl/rollout';
import { presets } from '../../src/run/config/presets';
import { withTemplate } from '../model/tokenizer/tiny-tokenizer';
import { tinyConfig } from '../model/tiny';

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
  const tokenizer = withTemplate({ chat_template: templateOf(generationPrompt) });
  const base = presets['tom-rl'];
  const config = { ...base, steps: 1, rollout: { ...base.rollout, promptsPerStep: 2 } };
  const { train, val, promptIds, items } = exportRows(config, tokenizer, {});
  for (const { prompt } of [...train, ...val]) {
    expect(prompt[0].content.slice(prompt[0].content.lastIndexOf('<|end|>'))).toBe(`<|end|>${ending}`);
  }
  const policy = { tokenizer, config: { ...tinyConfig, maxPositions: 1e6 } } as Policy;
  items.forEach((item, index) => {
    const ids = encodePrompt(policy, item, 8);
    expect(tokenizer.decode(ids, { keepSpecial: true })).toBe(train[index].prompt[0].content);
    expect(ids).toEqual(promptIds[index]);
  });
});
