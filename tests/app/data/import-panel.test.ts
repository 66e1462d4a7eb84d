import { h } from 'preact';
import { beforeAll, expect, it, vi } from 'vitest';
import { ImportPanel } from '../../../src/app/data/import-panel';
import type { DatasetLibrary } from '../../../src/app/page/dataset-library';
import { drawn, stubDocument } from '../../fixtures/little-dom';
import { settled } from '../session/fake-worker';

beforeAll(stubDocument);

it('an import that does not end is described and can be cancelled, and its later result is dropped', async () => {
  let fail!: (reason: Error) => void;
  const cancel = vi.fn();
  const preview = () => new Promise((_, reject) => (fail = reject));
  const library = { preview, cancel } as unknown as DatasetLibrary;
  const shown = drawn(h(ImportPanel, { library }));
  const [area] = shown.all('div');
  const drop = Object.assign(new Event('drop'), { dataTransfer: { files: [new File(['x'], 'slow.json')] } });
  area.dispatchEvent(drop);
  await settled();
  expect(shown.text()).toContain('Reading slow.json …');
  const button = shown.all('button').find(({ textContent }) => textContent === 'Cancel')!;
  button.dispatchEvent(new Event('click'));
  fail(new Error('closed'));
  await settled();
  expect(cancel).toHaveBeenCalledOnce();
  expect(shown.text()).not.toMatch(/slow\.json|not imported/);
});
