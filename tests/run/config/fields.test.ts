import { expect, it } from 'vitest';
import type { RunConfig } from '../../../src/run/config/config';
import { configFields } from '../../../src/run/config/check-config';
import { configKey, fieldsOf, recordFrom, sameConfig } from '../../../src/run/config/fields';
import { presets } from '../../../src/run/config/presets';

const reversed = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([name, part]) => [name, reversed(part)]),
      )
    : value;

it.each(Object.keys(presets))('%s equals itself with its settings in any order, and no other', (name) => {
  const config = presets[name];
  expect(sameConfig(config, reversed(config) as RunConfig)).toBe(true);
  expect(Object.values(presets).filter((other) => sameConfig(config, other))).toEqual([config]);
});

it('differs in every single setting, an optional one that only one has included', () => {
  const config = presets['ladder-25k'];
  const fields = fieldsOf(config);
  for (const [path, kind] of configFields) {
    const other = new Map(fields).set(
      path,
      kind === 'boolean' ? String(fields.get(path) !== 'true') : '7654321',
    );
    const changed = recordFrom(other) as unknown as RunConfig;
    expect(sameConfig(config, changed), path).toBe(false);
    expect(sameConfig(changed, config), path).toBe(false);
  }
  expect(configKey(recordFrom(fields) as unknown as RunConfig)).toBe(configKey(config));
});
