import { signal } from '@preact/signals';
import { h } from 'preact';
import { beforeAll, expect, it, vi } from 'vitest';
import { SharedLinkScreen } from '../../../src/app/link/shared-link-screen';
import { createForm } from '../../../src/app/page/form-store';
import type { RunConfig } from '../../../src/run/config/config';
import { presets } from '../../../src/run/config/presets';
import { textOf } from '../../fixtures/little-dom';
import { pageOf } from '../page-of';

beforeAll(() => {
  vi.stubGlobal('MARBLE_MODELS', { 'ladder-25k': 25_280, 'ladder-12k': 13_248 });
});

function sent(config: RunConfig): string {
  const form = { ...createForm(), draft: signal(config), isSharedLinkNew: signal(true) };
  form.sharedLink.value = { config };
  return textOf(h(SharedLinkScreen, pageOf({}, { ...form, lesson: signal(false) })));
}

const first = presets['first-run-135m'];

it('a link of the sender’s own files says that they are to be asked for', () => {
  const text = sent({ ...first, model: { kind: 'files', name: 'mine.gguf' } });
  expect(text).toContain('“Train” asks for them; ask the sender where they are from.');
});

it('a link without the adapter of its preset says so', () => {
  const text = sent({ ...first, training: { mode: 'lora', rank: 8, alpha: 16 } });
  expect(text).toContain('Changed: no adapter. ');
});
