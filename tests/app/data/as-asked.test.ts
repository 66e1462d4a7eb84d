import { signal } from '@preact/signals';
import { h } from 'preact';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { promptOf, rightWords } from '../../../src/app/data/as-asked';
import { DataPage } from '../../../src/app/data/data-page';
import type { DatasetLibrary } from '../../../src/app/page/dataset-library';
import { isRight } from '../../../src/reward/official';
import { presets } from '../../../src/run/config/presets';
import type { Item, Scoring } from '../../../src/tom/item';
import { drawn, stubDocument } from '../../fixtures/little-dom';
import { settled } from '../session/fake-worker';

beforeAll(stubDocument);

const item: Item = {
  ...{ id: '1', dataset: 'own', storyId: '1', story: 'Ann left.', question: 'Where is Ann?' },
  ...{ answer: 'The Box.', order: 0, shortcuts: {}, training: 'allowed' },
};
const toy = presets['ladder-12k'];
const real = presets['first-run-135m'];

describe('a question as the model reads it', () => {
  it('is plain text for an embedded model', () => {
    expect(promptOf(item, toy)).toBe('Ann left. Where is Ann? <think>');
  });

  it('has the chat template of the offered models, and the prompt settings of the run', () => {
    const [system, ...rest] = promptOf(item, real).split('<|im_end|>\n');
    expect(system).toMatch(
      /^<\|im_start\|>system\nYou read a short story and answer one question about it\.\n/,
    );
    expect(rest).toEqual([
      '<|im_start|>user\nStory:\nAnn left.\n\nQuestion: Where is Ann?',
      '<|im_start|>assistant\n<think>\n',
    ]);
    const rollout = { ...real.rollout, systemPrompt: 'template' as const, instruction: 'Be brief.' };
    expect(promptOf(item, { ...real, rollout })).toMatch(
      /^<\|im_start\|>system\n\(the model’s own system prompt\)<.*\n<\|im_start\|>user\nBe brief\.\n\nStory:/,
    );
  });
});

it.each<[Scoring | undefined, string, string, RegExp]>([
  [undefined, 'The Box.', 'the box', /^“The Box\.”; upper and lower case, commas and full stops/],
  [{ rule: 'number' }, '6 * 7 = 42', 'so 42', /last number is the last one of “6 \* 7 = 42”/],
  [{ rule: 'binary' }, 'no', 'No.', /says no/],
  [{ rule: 'classes', classes: ['more', 'less'] }, 'more', 'more', /“more” and no other of “more”, “less”/],
  [{ rule: 'names', right: ['Ann'], wrong: ['Bob'] }, 'Ann', 'Ann', /with “Ann” and without “Bob”/],
])('says which answer is right by the rule %j', (scoring, answer, given, words) => {
  const asked = { ...item, answer, scoring };
  expect(isRight(given, asked)).toBe(true);
  expect(rightWords(asked)).toMatch(words);
});

it('a kept data set shows its first question once it is opened', async () => {
  const set = { id: 'mine-0123456789abcdef', name: 'mine', count: 1, stories: 1, orders: [0], bytes: 9 };
  const example = vi.fn(() => Promise.resolve(item));
  const own = { sets: signal([{ ...set, createdAt: 0 }]), example, refresh: () => Promise.resolve() };
  const library = own as unknown as DatasetLibrary;
  const page = { library, draft: signal(real), tell: () => undefined, onTrain: () => undefined };
  const shown = drawn(h(DataPage, page));
  expect(example).not.toHaveBeenCalled();
  shown.all('details')[0].dispatchEvent(new Event('toggle'));
  await settled();
  expect(example).toHaveBeenCalledWith(set.id);
  expect(shown.text()).toContain('Question: Where is Ann?<|im_end|>');
  expect(shown.text()).toContain('Right is “The Box.”; upper');
});
