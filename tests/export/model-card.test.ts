import { expect, it } from 'vitest';
import { code, escaped, modelCard } from '../../src/export/model-card';
import type { RunConfig } from '../../src/run/config/config';
import { presets } from '../../src/run/config/presets';

const base = presets['tom-rl'];
const training = { mode: 'lora' as const, rank: 8, alpha: 16 };
const sentence = async (changes: Partial<RunConfig>, step: number): Promise<string> =>
  /after .*/.exec(await modelCard({ ...base, ...changes }, step, null))?.[0] ?? '';

it('a card names the training of the weights and the initial adapter', async () => {
  const warmed = { training, steps: 60, warmStart: { updates: 40 } };
  const on = 'on hitom-exploretom questions of orders 0, 1, 2, 3';
  expect(await sentence(warmed, 41)).toBe(
    `after 41 steps of supervised training and grpo ${on} with the reward tom-rl, by Marble.`,
  );
  expect(await sentence({ training: { ...training, adapter: 'ships:rooms-135m' } }, 5)).toBe(
    `after 5 steps of grpo ${on} with the reward tom-rl, by Marble. Training started from the adapter \`ships:rooms-135m\`.`,
  );
});

it('texts of a link mark up nothing in the card', async () => {
  const system = 'Think.\n\n# A heading\n[press](https://b.example)\n<img src=x> `';
  const config: RunConfig = {
    ...base,
    ...{ training, model: { kind: 'files', name: 'www.d.example' } },
    rollout: { ...base.rollout, systemText: system },
  };
  expect(escaped('www.b_c')).toBe('www\\.b\\_c');
  expect([code('a'), code('a``b')]).toEqual(['`a`', '``` a``b ```']);
  const text = await modelCard(config, 5, null);
  const outside = text
    .split('\n')
    .map((line) => line.replaceAll(/\\[^\w\s]/g, '').replaceAll(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, ''))
    .join('\n');
  expect(outside).not.toMatch(/https?:|www\.|\]\(|<\w|heading\n/);
  expect(text.match(/^# /gm)).toHaveLength(1);
});
