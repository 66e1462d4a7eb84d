import { describe, expect, it } from 'vitest';
import { checkRunConfig, configFields } from '../../../src/run/config/check-config';
import type { RunConfig } from '../../../src/run/config/config';
import { configKey, fieldsOf, recordFrom, sameConfig } from '../../../src/run/config/fields';
import { presets } from '../../../src/run/config/presets';
import { warmStartDefaults, warmStartOf } from '../../../src/run/config/warm-start';
import { refusal, refusalTextOf } from '../../model/refusal';
import { example } from '../../share/example-config';

/** Every path of a record, those of its inner records included. */
function pathsOf(value: object, before: readonly string[] = []): string[][] {
  return Object.entries(value).flatMap(([name, inner]) => {
    const path = [...before, name];
    return [path, ...(typeof inner === 'object' && inner !== null ? pathsOf(inner as object, path) : [])];
  });
}

function withAt(value: object, [name, ...rest]: readonly string[], wrong: unknown): object {
  const copy = (Array.isArray(value) ? (value as unknown[]).slice() : { ...value }) as Record<
    string,
    unknown
  >;
  copy[name] = rest.length === 0 ? wrong : withAt(copy[name] as object, rest, wrong);
  return copy;
}

it('a setting of a wrong type is refused in words, whichever it is', async () => {
  const told = new Map<string, string>();
  for (const path of pathsOf(example)) {
    for (const wrong of [null, 'text', 7, true, [], [null], {}]) {
      const text = await refusalTextOf(() => checkRunConfig(withAt(example, path, wrong))).catch(() => '');
      if (text !== '') told.set(`${path.join('.')} ${JSON.stringify(wrong)}`, text);
    }
  }
  expect(told.size).toBeGreaterThan(100);
  expect([...told].filter(([, text]) => /Invalid|Expected|undefined|\(/.test(text))).toEqual([]);
  expect(await refusalTextOf(() => checkRunConfig({ ...example, rollout: 7 }))).toContain(
    'rollout is 7; it must be an object.',
  );
});

it('a setting that is nested too deeply to be written is refused', async () => {
  const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`) as unknown;
  expect(await refusalTextOf(() => checkRunConfig({ ...example, preset: deep }))).toContain(
    'preset is a value',
  );
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

const base = presets['ladder-25k'];
const warm = (warmStart: RunConfig['warmStart'], changes: Partial<RunConfig> = {}): RunConfig => ({
  ...base,
  warmStart,
  ...changes,
});

describe('a warm start', () => {
  it('is absent without `updates`, and otherwise takes omitted settings from the defaults', () => {
    for (const none of [{}, warm({ full: 0.5 }), warm({ updates: 0 })]) expect(warmStartOf(none)).toBeNull();
    const { examples, full, short } = warmStartDefaults;
    expect(warmStartOf(warm({ updates: 9 }))).toMatchObject({
      ...{ updates: 9, examples },
      mix: { full, short, direct: 1 - full - short },
    });
    expect(warmStartOf(warm({ updates: 9, full: 0.5, short: 0.25 }))?.mix.direct).toBe(0.25);
  });

  it.each<[string, RunConfig, string]>([
    ['shares above 1', warm({ updates: 5, full: 0.7, short: 0.4 }), 'warmStart.short is 0.4'],
    ['a share above 1', warm({ updates: 5, full: 1.5 }), 'warmStart.full is 1.5'],
    [
      'more updates than steps',
      warm({ updates: base.steps + 1 }),
      `at most the steps of the run, ${base.steps}`,
    ],
    ['a supervised arm', warm({ updates: 5 }, { method: 'sft-traces' }), 'method is sft-traces'],
  ])('is refused by name with %s', (_, config, message) => {
    expect(() => checkRunConfig(config)).toThrow(refusal('share/out-of-range', message));
  });

  it.each([
    [0.7, 0.3],
    [0.1, 0.9],
    [0, 0],
  ])('is taken with shares %d and %d, of which the rest are direct answers', (full, short) => {
    const warmStart = { updates: 5, full, short };
    expect(checkRunConfig(warm(warmStart)).warmStart).toEqual(warmStart);
  });
});
