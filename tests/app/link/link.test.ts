import { signal } from '@preact/signals';
import { h } from 'preact';
import { afterEach, expect, it, vi } from 'vitest';
import { followForm, LessonSwitch, linkOf, readLink } from '../../../src/app/link/link';
import { createForm } from '../../../src/app/page/form-store';
import { isOwnAddress, replaceAddress } from '../../../src/app/page/place';
import { createRunView } from '../../../src/app/session/run-view';
import { presets } from '../../../src/run/config/presets';
import { runFingerprint } from '../../../src/share/run-fingerprint';
import { decodeLink } from '../../../src/share/settings-link';
import { drawn, stubDocument } from '../../fixtures/little-dom';
import { readRecording } from '../../fixtures/recordings';
import { pageOf } from '../page-of';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('a copied link holds the run on show or its class, and elsewhere the settings of the form', async () => {
  const { config, records } = readRecording('ladder-12k');
  const view = createRunView('kept', { ...config, seed: 9 }, undefined, { id: 'a run' });
  const form = createForm();
  const session = { shown: signal(view), allRecords: () => Promise.resolve(records) };
  const at = async (name: string) =>
    decodeLink(
      await linkOf(pageOf(session, { ...form, lesson: signal(true), places: { place: signal({ name }) } })),
    );
  const fingerprint = runFingerprint(records);
  expect(await at('run')).toMatchObject({ config: view.config, lesson: true, fingerprint });
  const ofForm = { config: form.draft.value, sweep: { seed: [1, 2, 3] }, fingerprint: undefined };
  expect(await at('sweeps')).toMatchObject(ofForm);
  form.classroom.value = { base: presets['swap-faithful'], axes: {}, seats: 25, link: '' };
  expect(await at('run')).toMatchObject({ config: presets['swap-faithful'], seats: 25, lesson: true });
});

/** Replaces the address. @returns its place */
function stubAddress(hash = ''): { hash: string } {
  const location = { hash };
  const kept = new Map<string, string>();
  vi.stubGlobal('location', location);
  vi.stubGlobal('history', { replaceState: (...[, , next]: string[]) => (location.hash = next) });
  const getItem = (key: string) => kept.get(key) ?? null;
  vi.stubGlobal('sessionStorage', { getItem, setItem: (key: string, text: string) => kept.set(key, text) });
  return location;
}

it.each([true, false])('the switch of a lesson leaves an address the page’s own: %s', async (isOwn) => {
  stubDocument();
  Object.assign(document, { baseURI: 'https://example.org/' });
  const location = stubAddress('#v=1&preset=ladder-12k');
  if (isOwn) replaceAddress(location.hash);
  const shown = drawn(h(LessonSwitch, { lesson: signal(false) }));
  const [box] = shown.all('input');
  Object.assign(box, { checked: true }).dispatchEvent(new Event('change'));
  await vi.waitFor(() => expect(location.hash).toMatch(/&lesson=on$/));
  expect(isOwnAddress()).toBe(isOwn);
});

/** A form that the address follows. */
function followedForm(hash?: string) {
  vi.useFakeTimers();
  vi.stubGlobal('addEventListener', () => undefined);
  const location = stubAddress(hash);
  if (hash !== undefined) replaceAddress(hash);
  const form = createForm();
  const page = pageOf({}, { ...form, places: { place: signal({ name: 'run' }) } });
  followForm(page);
  const settled = async (): Promise<string> => {
    await vi.advanceTimersByTimeAsync(400);
    await vi.dynamicImportSettled();
    return location.hash;
  };
  return { form, location, settled, wish: page.session.wish };
}

it('the address takes a backend that is chosen, and a received one stays until it is changed', async () => {
  const { form, location, settled, wish } = followedForm();
  expect(await settled()).toBe('');
  wish.value = 'wasm';
  expect(await settled()).toMatch(/&backend=wasm$/);
  location.hash = '#received';
  form.sharedLink.value = { config: form.draft.value, fingerprint: '4.x', backend: 'webgpu' };
  wish.value = 'webgpu';
  expect(await settled()).toBe('#received');
});

it('the address takes settings of a preset that this version lacks', async () => {
  const { form, settled } = followedForm();
  form.draft.value = { ...form.draft.value, preset: 'gone', steps: 7 };
  const [preset] = Object.keys(presets);
  expect((await decodeLink(await settled())).config).toEqual({ ...form.draft.value, preset });
});

it('a link that cannot be read leaves no class of the link before it', async () => {
  const form = createForm();
  const page = pageOf({ screen: signal(null) }, form);
  form.classroom.value = { base: form.draft.value, axes: {}, seats: 9, link: '#class' };
  await readLink('#v=1&preset=none', page);
  expect(page.session.screen.value?.code).toBe('share/unknown-preset');
  expect(form.classroom.value).toBeNull();
});
