import { expect, it } from 'vitest';
import { checkRunConfig } from '../../../src/run/config/check-config';
import { refusalTextOf } from '../../model/refusal';
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
