import { signal } from '@preact/signals';
import { afterEach, expect, it, vi } from 'vitest';
import { followForm, linkedOf, readLink } from '../../../src/app/link/link';
import { createForm } from '../../../src/app/page/form-store';
import { defaultPreset, presets } from '../../../src/run/config/presets';
import { runFingerprint } from '../../../src/share/run-fingerprint';
import { readRecording } from '../../fixtures/recordings';
import { pageOf } from '../page-of';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const [shown, reported] = ['ladder-12k', 'ladder-25k'].map(readRecording);
const view = { config: { ...shown.config, seed: 3 }, records: signal(shown.records), backend: null };
const history = (id: string) =>
  Promise.resolve(
    id === 'reported' ? { record: { config: reported.config, machine: {} }, steps: reported.records } : null,
  );

const at = (place: object) =>
  pageOf(
    {
      shown: signal(view),
      history,
      allRecords: () => Promise.resolve(shown.records),
    },
    { places: { place: signal(place) }, draft: signal(presets['hitom-mini']), recordings: signal(null) },
  );

it('a copied link holds the run that the heading names, with its own fingerprint', async () => {
  const ofReport = await linkedOf(at({ name: 'report', id: 'reported' }));
  expect(ofReport).toMatchObject({ config: reported.config, isRun: true });
  expect(ofReport.fingerprint).toBe(runFingerprint(reported.records));
  // After a sweep the form holds other settings than the run on show.
  const ofRun = await linkedOf(at({ name: 'run' }));
  expect(ofRun).toMatchObject({ config: view.config, isRun: true });
  expect(ofRun.fingerprint).toBe(runFingerprint(shown.records));
  expect(await linkedOf(at({ name: 'sweeps' }))).toMatchObject({
    config: presets['hitom-mini'],
    isRun: false,
  });
});

it('the address takes a backend that is chosen, and a received one stays until it is changed', async () => {
  vi.useFakeTimers();
  vi.stubGlobal('addEventListener', () => undefined);
  const location = { hash: '' };
  vi.stubGlobal('location', location);
  vi.stubGlobal('history', { replaceState: (...[, , hash]: string[]) => (location.hash = hash) });
  const form = createForm();
  const page = pageOf({}, { ...form, places: { place: signal({ name: 'run' }) } });
  const { wish } = page.session;
  followForm(page);
  const settled = async (): Promise<string> => {
    await vi.advanceTimersByTimeAsync(400);
    await vi.dynamicImportSettled();
    return location.hash;
  };
  expect(await settled()).toBe('');
  wish.value = 'wasm';
  expect(await settled()).toMatch(/&backend=wasm$/);
  location.hash = '#received';
  form.sharedLink.value = { config: form.draft.value, fingerprint: '4.x', backend: 'webgpu' };
  wish.value = 'webgpu';
  expect(await settled()).toBe('#received');
});

it('a link that cannot be read leaves no class of the link before it', async () => {
  const form = createForm();
  const page = pageOf({ screen: signal(null) }, form);
  form.classroom.value = { base: form.draft.value, axes: {}, seats: 9, link: '#class' };
  await readLink('#v=1&preset=none', page);
  expect(page.session.screen.value?.code).toBe('share/unknown-preset');
  expect([form.classroom.value, form.draft.value]).toEqual([null, presets[defaultPreset]]);
});
