import { signal } from '@preact/signals';
import { h } from 'preact';
import { beforeAll, expect, it } from 'vitest';
import { ConsentScreen } from '../../../src/app/models/download-screen';
import { presets } from '../../../src/run/config/presets';
import { drawn, stubDocument } from '../../fixtures/little-dom';
import { pageOf } from '../page-of';

beforeAll(stubDocument);

it('the first question about a model names the size of its download', () => {
  const { session } = pageOf({ wish: signal('automatic'), plan: () => Promise.resolve(null) });
  const config = presets['first-run-0.5b'];
  const consent = { contacts: [], answer: () => undefined };
  const shown = drawn(h(ConsentScreen, { session, config, consent }));
  expect(shown.text()).toContain('The download is 988 MB.');
  shown.close();
});
