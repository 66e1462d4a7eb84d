import { signal } from '@preact/signals';
import { h } from 'preact';
import { expect, it, vi } from 'vitest';
import { AskPanel } from '../../../src/app/ask/ask-panel';
import { createTokenizer } from '../../../src/model/tokenizer/tokenizer';
import { presets } from '../../../src/run/config/presets';
import { embeddedTokenizer } from '../../export/model-folder';
import { drawn } from '../../fixtures/little-dom';
import { rollout } from '../../share/run-content';
import { pageOf } from '../page-of';

it('the answers of a model go when another recording is chosen', async () => {
  const start = { greedy: { ...rollout, prompt: 'no story' }, sampled: [] };
  const { session } = pageOf({ attemptToFetch: () => Promise.resolve({ start, now: null }) });
  const config = signal(presets['ladder-12k']);
  const Shown = () => h(AskPanel, { session, config: config.value, run: null });
  const shown = drawn(h(Shown, {}));
  const hasAnswer = () => shown.text().includes('its likeliest answer');
  shown.all('form')[0].dispatchEvent(new Event('submit'));
  await vi.waitUntil(hasAnswer);
  config.value = { ...config.value, seed: 9 };
  await new Promise((resolve) => setTimeout(resolve));
  expect(hasAnswer()).toBe(true);
  config.value = presets['ladder-398k'];
  await vi.waitUntil(() => !hasAnswer());
});

it('a model of another small vocabulary is offered a question in its words', () => {
  const shown = drawn(h(AskPanel, { session: pageOf({}).session, config: presets['hitom-mini'], run: null }));
  const texts = shown.all('textarea').map((area) => area.getAttribute('defaultValue')!);
  const tokenizer = createTokenizer(embeddedTokenizer('hitom-mini'));
  expect(texts.map((text) => tokenizer.encode(text).length)).toEqual([expect.any(Number), 9, 1]);
});
