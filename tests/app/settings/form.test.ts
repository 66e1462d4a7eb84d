import { signal } from '@preact/signals';
import { h } from 'preact';
import { expect, it, vi } from 'vitest';
import type { Faults } from '../../../src/app/page/form-store';
import { choosePreset, setField, type Form } from '../../../src/app/settings/form';
import { AllSettings } from '../../../src/app/settings/settings';
import { formFields, omittableFields } from '../../../src/run/config/check-config';
import { fieldsOf } from '../../../src/run/config/fields';
import { presets } from '../../../src/run/config/presets';
import { decodeLink, encodeLink } from '../../../src/share/settings-link';
import { drawn } from '../../fixtures/little-dom';
import { pageOf } from '../page-of';

const formOf = (preset: string): Form => ({
  draft: signal(presets[preset]),
  faults: signal<Faults>(new Map()),
});

it('names the field with which a refused one conflicts, and keeps the settings', () => {
  const form = formOf('first-run-0.5b');
  setField(form, 'steps', '2');
  expect(form.faults.value.get('steps')?.message).toMatch(
    /^“[A-Z][^”]+” is 40; it must be at most the steps of the run, 2\.$/,
  );
  expect(form.draft.value).toEqual(presets['first-run-0.5b']);
  setField(form, 'steps', '40');
  expect(form.faults.value.size).toBe(0);
});

it('takes a refused text once another field allows it', () => {
  const form = formOf('first-run-0.5b');
  for (const path of ['steps', 'warmStart.updates']) setField(form, path, '2');
  const { steps, warmStart } = form.draft.value;
  expect([steps, warmStart?.updates, form.faults.value.size]).toEqual([2, 2, 0]);
});

it.each(['evaluation.finalItems', 'data.rho'])(
  'an emptied %s of the preset is left out, in a link too',
  async (path) => {
    const form = formOf('ladder-25k');
    const [group, name] = path.split('.') as ['evaluation' | 'data', string];
    expect(form.draft.value[group]).toHaveProperty(name);
    setField(form, path, '');
    expect(form.faults.value.size).toBe(0);
    expect(form.draft.value[group]).not.toHaveProperty(name);
    setField(form, 'steps', ' ');
    expect(form.faults.value.get('steps')?.message).toMatch(/^steps is empty; /);
    expect((await decodeLink(await encodeLink(form.draft.value))).config).toEqual(form.draft.value);
  },
);

it('no preset sets a field whose absence a link cannot state', () => {
  const open = formFields.filter(({ path, optional }) => optional && !omittableFields.has(path));
  const set = Object.values(presets).map((preset) => fieldsOf(preset));
  expect(open.length).toBeGreaterThan(0);
  expect(open.filter(({ path }) => set.some((fields) => fields.has(path)))).toEqual([]);
});

it('a refused text leaves its field when the preset is chosen again', async () => {
  const form = formOf('first-run-135m');
  const { session } = pageOf({ capabilities: signal(null) });
  const shown = drawn(h(AllSettings, { form, session }));
  await Promise.resolve(); // its effects
  const field = shown.all('input').find((one) => one.getAttribute('id') === 'field-rollout.temperature')!;
  const box = Object.assign(field, { value: 'hot' });
  const usual = String(form.draft.value.rollout.temperature);
  for (const type of ['input', 'change']) box.dispatchEvent(new Event(type));
  await vi.waitFor(() => expect(shown.text()).toContain('“Temperature” is hot'));
  expect(box.value).toBe('hot');
  form.draft.value = { ...form.draft.value, steps: 9 };
  choosePreset(form, 'first-run-135m');
  expect(form.draft.value).toEqual(presets['first-run-135m']);
  await vi.waitFor(() => expect(box.value).toBe(usual));
});
