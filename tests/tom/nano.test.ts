import { describe, expect, it } from 'vitest';
import { counterfactual, generateDataset } from '../../src/tom/worlds/generate';
import type { DataSpec, Item } from '../../src/tom/item';
import { nanoItem } from '../../src/tom/worlds/nano';
import type { NanoWorld } from '../../src/tom/worlds/nano';
import { smallBelief } from '../../src/tom/worlds/small-world';
import { nanoVocabulary } from '../../src/tom/worlds/nano';
import { formatPrompt } from '../../src/tom/text/prompts';
import { answerFromText } from './nano-reader';

const spec: DataSpec = { source: 'nano', orders: [0, 1, 2, 3, 4], dropShortcutRight: 0, reentry: false };
const example: NanoWorld = {
  agents: ['gus', 'ann', 'cat', 'eve'],
  containers: ['drawer', 'bin', 'jar', 'chest'],
  object: 'coin',
  start: 'drawer',
  lines: [
    { actor: 'gus', act: 'moved', place: 'bin' },
    { actor: 'gus', act: 'exited' },
    { actor: 'ann', act: 'moved', place: 'jar' },
    { actor: 'ann', act: 'exited' },
    { actor: 'cat', act: 'stayed' },
    { actor: 'cat', act: 'exited' },
    { actor: 'eve', act: 'moved', place: 'chest' },
    { actor: 'eve', act: 'exited' },
  ],
  chain: ['gus', 'cat'],
};

function shortcutRate(items: Item[], name = 'first-event'): number {
  return items.filter((item) => item.shortcuts[name] === item.answer).length / items.length;
}

describe('the nano world', () => {
  it('tells the example of the recipe word for word', () => {
    const item = nanoItem(example, 'example');
    expect(formatPrompt(item, 'compact')).toEqual({
      kind: 'text',
      text: 'gus ann cat eve entered . coin in drawer . gus moved bin . gus exited . ann moved jar . ann exited . cat stayed . cat exited . eve moved chest . eve exited . where does gus think cat think coin ? <think>',
    });
    expect(item.traces).toEqual({
      full: 'start drawer seen gus cat ; gus bin seen gus cat ; ann jar seen cat ; cat jar seen cat ; eve chest seen none ; so bin </think> <answer> bin </answer>',
      short: 'gus last bin </think> <answer> bin </answer>',
      direct: '</think> <answer> bin </answer>',
    });
  });

  it('knows beliefs of every order and reality', () => {
    const believed = [
      [],
      ['eve'],
      ['ann'],
      ['gus', 'cat'],
      ['cat', 'gus'],
      ['cat', 'ann'],
      ['eve', 'cat', 'ann', 'gus'],
    ];
    expect(believed.map((chain) => smallBelief({ ...example, chain }))).toEqual([
      'chest',
      'chest',
      'jar',
      'bin',
      'bin',
      'jar',
      'bin',
    ]);
  });

  it('gives 10,000 answers that a slow reader of the text gives as well', () => {
    const items = [
      ...generateDataset({ ...spec, count: 5000, seed: 1 }),
      ...generateDataset({ ...spec, reentry: true, count: 5000, seed: 2 }),
    ];
    const disagreeing = items.filter((item) => answerFromText(item.story, item.question) !== item.answer);
    expect(disagreeing).toEqual([]);
    expect(items.filter((item) => item.kind === 're-entry').length).toBeGreaterThan(2300);
  });

  it('lets the first event answer about 50, 67, 84 and 100 % of orders 1 to 4', () => {
    const rates = [1, 2, 3, 4].map((order) =>
      shortcutRate(generateDataset({ ...spec, orders: [order], count: 4000, seed: 10 + order })),
    );
    [0.484, 0.68, 0.85, 1].forEach((expected, index) =>
      expect(Math.abs(rates[index] - expected)).toBeLessThan(0.025),
    );
  });

  it('lets the first leaver answer every plain question after a belief, so that it needs no tracking', () => {
    const beliefs = { ...spec, orders: [1, 2, 3, 4], count: 4000 };
    expect(shortcutRate(generateDataset({ ...beliefs, seed: 15 }), 'first-leaver')).toBe(1);
    const returns = generateDataset({ ...beliefs, seed: 16, reentry: true }).filter(
      ({ kind }) => kind === 're-entry',
    );
    expect(Math.abs(shortcutRate(returns, 'first-leaver') - 0.81)).toBeLessThan(0.025);
  });

  it('keeps every question after reality, whatever is dropped: they have no shortcut', () => {
    const items = generateDataset({ ...spec, orders: [0], dropShortcutRight: 1, count: 100, seed: 17 });
    expect(items.map(({ shortcuts }) => shortcuts)).toEqual(items.map(() => ({})));
  });

  it('lets the shortcut fail more often where agents come back', () => {
    const items = generateDataset({ ...spec, orders: [1], reentry: true, count: 4000, seed: 3 });
    const returned = items.filter((item) => item.kind === 're-entry');
    expect(shortcutRate(returned)).toBeLessThan(shortcutRate(items.filter((item) => item.kind === 'plain')));
  });

  it('drops items that the shortcut gets right as often as the dial says', () => {
    const half = { ...spec, orders: [1], count: 4000, seed: 4 };
    expect(shortcutRate(generateDataset({ ...half, dropShortcutRight: 1 }))).toBe(0);
    // Of .484 right a quarter stays: .121 / (.121 + .516).
    expect(Math.abs(shortcutRate(generateDataset({ ...half, dropShortcutRight: 0.75 })) - 0.19)).toBeLessThan(
      0.025,
    );
  });

  it('refuses a dial that leaves nothing, unknown sources, orders and counts', () => {
    const make = (change: Partial<DataSpec> & { count?: number }): (() => Item[]) => {
      return () => generateDataset({ ...spec, count: 1, seed: 1, ...change });
    };
    expect(make({ orders: [4], dropShortcutRight: 1 })).toThrow(
      expect.objectContaining({ code: 'tom/shortcut-always-right' }),
    );
    expect(make({ source: 'toString' })).toThrow(expect.objectContaining({ code: 'tom/unknown-source' }));
    expect(make({ orders: [5] })).toThrow(expect.objectContaining({ code: 'tom/bad-orders' }));
    expect(make({ orders: [] })).toThrow(expect.objectContaining({ code: 'tom/bad-orders' }));
    expect(make({ count: -1 })).toThrow(expect.objectContaining({ code: 'tom/bad-spec' }));
    expect(make({ dropShortcutRight: Number.NaN })).toThrow(
      expect.objectContaining({ code: 'tom/bad-spec' }),
    );
  });

  it('makes item i the same whatever else is asked for', () => {
    const all = generateDataset({ ...spec, reentry: true, dropShortcutRight: 0.5, count: 300, seed: 9 });
    const later = generateDataset({
      ...spec,
      reentry: true,
      dropShortcutRight: 0.5,
      count: 100,
      seed: 9,
      offset: 150,
    });
    expect(later).toEqual(all.slice(150, 250));
    expect(generateDataset({ ...spec, count: 50, seed: 10 })).not.toEqual(
      generateDataset({ ...spec, count: 50, seed: 11 }),
    );
  });

  it('draws orders uniformly and shares an id between equal stories only', () => {
    const items = generateDataset({ ...spec, orders: [0, 1, 2, 3], count: 8000, seed: 12 });
    for (const order of [0, 1, 2, 3]) {
      expect(Math.abs(items.filter((item) => item.order === order).length - 2000)).toBeLessThan(160);
    }
    expect(new Set(items.map((item) => item.storyId)).size).toBe(
      new Set(items.map((item) => item.story)).size,
    );
    expect(new Set(items.map((item) => item.id)).size).toBe(items.length);
  });

  it('uses no word outside its vocabulary, and every word of it', () => {
    const vocabulary = nanoVocabulary();
    const used = new Set(['<pad>', '<eos>']);
    for (const item of generateDataset({ ...spec, reentry: true, count: 3000, seed: 13 })) {
      const prompt = formatPrompt(item, 'compact');
      const text = prompt.kind === 'text' ? prompt.text : '';
      [text, ...Object.values(item.traces!)].forEach((words) =>
        words.split(' ').forEach((word) => used.add(word)),
      );
    }
    expect(new Set(vocabulary).size).toBe(vocabulary.length);
    expect([...used].sort()).toEqual([...vocabulary].sort());
  });

  it('has a counterfactual for each item that differs in one sentence and in the answer, and stays true', () => {
    for (const item of generateDataset({ ...spec, reentry: true, count: 3000, seed: 14 })) {
      const other = counterfactual(item);
      const changed = other.story
        .split(' . ')
        .filter((line, index) => line !== item.story.split(' . ')[index]);
      expect(changed).toHaveLength(1);
      expect(other.question).toBe(item.question);
      expect(other.answer).not.toBe(item.answer);
      expect(other.answer).toBe(answerFromText(other.story, other.question));
    }
  });
});

describe('prompts', () => {
  it('ask a chat model for both tags and state both assumptions', () => {
    const [item] = generateDataset({ ...spec, count: 1, seed: 1 });
    const prompt = formatPrompt({ ...item, choices: ['bin', 'jar'] }, 'chat');
    if (prompt.kind !== 'chat') throw new Error('a chat prompt was asked for');
    expect(prompt.prefill).toBe('<think>\n');
    expect(prompt.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    for (const part of ['<think>', '</think>', '<answer>', '</answer>', 'left', 'together']) {
      expect(prompt.messages[0].content).toContain(part);
    }
    for (const part of [item.story, item.question, 'Choices:\nbin\njar'])
      expect(prompt.messages[1].content).toContain(part);
  });
});
