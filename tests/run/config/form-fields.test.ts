import { expect, it } from 'vitest';
import { presets } from '../../../src/run/config/presets';
import { roomsDefaults, roomsRanges } from '../../../src/tom/worlds/orders';
import { swapDefaults, swapEventRange } from '../../../src/tom/worlds/swap';
import { configFields, formFields, formFieldsOf } from '../../../src/run/config/check-config';

const field = (path: string) => formFields.find((one) => one.path === path);

it('every field of the form is one of the configuration, with a text of its own and the range that is checked', () => {
  expect(formFields.filter(({ path }) => !configFields.has(path))).toEqual([]);
  expect(new Set(formFields.map(({ label }) => label)).size).toBe(formFields.length);
  expect(formFields.map(({ path }) => path)).toContain('algorithm.kl.coefficient');
  expect(field('rollout.maxNewTokens')).toMatchObject({ range: [1, 8192], unit: 'tokens', optional: false });
  expect(field('reward.targetThinkWords')).toMatchObject({ range: [0, 8192], unit: 'words', optional: true });
  expect(Object.keys(field('algorithm.name')?.names ?? {})).toHaveLength(6);
  expect(field('data.orders')?.range).toBeNull();
});

it('every setting has a field, but for the model and its adapter, which have pickers, the preset and a function', () => {
  const without = [...configFields.keys()].filter((path) => field(path) === undefined);
  expect(
    without.filter(
      (path) => !/^(preset$|reward\.custom$|model\.|training\.(mode|rank|alpha|adapter)$)/.test(path),
    ),
  ).toEqual([]);
  expect(field('algorithm.dualClip')).toMatchObject({ range: [0, 100] });
});

const offered = (source: string) => {
  const base = presets['ladder-25k'];
  return new Map(
    formFieldsOf({ ...base, data: { ...base.data, source } }).map((one) => [one.path, one] as const),
  );
};

it('what the form says of an empty field of a world is what that world takes', () => {
  const { least, most } = swapEventRange;
  const swap = offered('swap');
  expect(swap.get('data.rho')?.empty).toBe(String(swapDefaults.rho));
  expect(swap.get('data.events')).toMatchObject({ empty: String(swapDefaults.events), range: [least, most] });
  for (const [name, value] of Object.entries(roomsDefaults)) {
    const range = roomsRanges[name as keyof typeof roomsRanges];
    expect(offered('rooms').get(`data.${name}`)).toMatchObject({ empty: String(value), range });
  }
});

it('the form has the dials of the world that is trained on, and no others', () => {
  const dials = (source: string): string[] =>
    ['reentry', 'rho', 'events', 'people', 'containers', 'moves'].filter((name) =>
      offered(source).has(`data.${name}`),
    );
  expect(dials('swap')).toEqual(['reentry', 'rho', 'events']);
  expect(dials('rooms')).toEqual(['rho', 'people', 'containers', 'moves']);
  expect(dials('hitom')).toEqual([]);
});
