import { expect, it } from 'vitest';
import { presets } from '../../../src/run/config/presets';
import { configFields, formFields, formFieldsOf } from '../../../src/run/config/check-config';

const field = (path: string) => formFields.find((one) => one.path === path);

it('the form has every setting with a distinct text and the validated range, but those of pickers and the library', () => {
  expect(formFields.filter(({ path }) => !configFields.has(path))).toEqual([]);
  expect(new Set(formFields.map(({ label }) => label)).size).toBe(formFields.length);
  // A picker selects the model; the library alone runs a reward function.
  const elsewhere = /^(preset$|reward\.custom$|model\.|training\.(mode|rank|alpha)$)/;
  const without = [...configFields.keys()].filter((path) => field(path) === undefined);
  expect(without.filter((path) => !elsewhere.test(path))).toEqual([]);
  expect(field('rollout.maxNewTokens')).toMatchObject({ range: [1, 8192], unit: 'tokens', optional: false });
  expect(field('reward.targetThinkWords')).toMatchObject({ range: [0, 8192], unit: 'words', optional: true });
  expect(field('data.orders')?.range).toBeNull();
});

it('the form has the dials of the world that is trained on, and no others', () => {
  const base = presets['ladder-25k'];
  const dials = (source: string): string[] =>
    formFieldsOf({ ...base, data: { ...base.data, source } }).flatMap(
      ({ path }) => /^data\.(reentry|rho|events|people|containers|moves)$/.exec(path)?.[1] ?? [],
    );
  expect(dials('swap')).toEqual(['reentry', 'rho', 'events']);
  expect(dials('rooms')).toEqual(['rho', 'people', 'containers', 'moves']);
  expect(dials('hitom')).toEqual([]);
  const adapterOf = (preset: string) =>
    formFieldsOf(presets[preset]).filter(({ label }) => label === 'Adapter');
  expect([adapterOf('first-run-135m').length, adapterOf('ladder-25k').length]).toEqual([1, 0]);
});
