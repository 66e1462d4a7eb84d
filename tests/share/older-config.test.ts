import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunConfig } from '../../src/run/config';
import { defaultPreset, presets } from '../../src/run/presets';
import { completedConfig, completedOwn } from '../../src/share/older-config';
import { checkRunConfig } from '../../src/run/check-config';
import { anyConfig, example } from './example-config';

/** A configuration without the field at a path. */
function without(config: RunConfig, path: string): Record<string, unknown> {
  const copy = structuredClone(config) as unknown as Record<string, unknown>;
  const names = path.split('.');
  const last = names.pop()!;
  let place = copy;
  for (const name of names) place = place[name] as Record<string, unknown>;
  Reflect.deleteProperty(place, last);
  return copy;
}

describe('the configuration of an older version', () => {
  it.each([
    'evaluation.patience',
    'algorithm.kl.horizon',
    'algorithm.maskTruncated',
    'optimizer.finalFraction',
    'data.reentry',
    'checkpointEvery',
    'evaluation',
  ])('has the preset’s %s where it has none', (path) => {
    const config = presets['micro-collapse'];
    const completed = completedConfig(without({ ...config, seed: 7 }, path));
    expect(completed).toEqual({ config: { ...config, seed: 7 }, unknown: [] });
    expect(checkRunConfig(completed.config)).toEqual({ ...config, seed: 7 });
  });

  it('of a preset that is gone has the usual one’s', () => {
    const config = completedOwn(without(example, 'evaluation.patience') as unknown as RunConfig);
    expect(config).toEqual({
      ...example,
      evaluation: { ...example.evaluation, patience: presets[defaultPreset].evaluation.patience },
    });
  });

  it('loses what is no longer known, and says so', () => {
    const newer = {
      ...example,
      colour: 'blue',
      algorithm: { ...example.algorithm, kl: { ...example.algorithm.kl, shape: 'round' } },
      model: { kind: 'embedded', name: 'micro', tint: 1 },
    };
    const { config, unknown } = completedConfig(newer);
    expect(config).toEqual(example);
    expect(unknown.sort()).toEqual(['algorithm.kl.shape', 'colour', 'model.tint']);
  });

  it('is not given what may be left out, nor the settings of another kind of model', () => {
    const bare = { ...example, preset: defaultPreset, evaluation: { ...example.evaluation } };
    expect(completedOwn(bare)).toEqual(bare);
    const model = { kind: 'hub', repository: 'owner/name' };
    expect(completedConfig({ ...bare, model }).config).toEqual({ ...bare, model });
  });

  it('stays as it is where nothing is missing, and as it is where it is none', () => {
    fc.assert(
      fc.property(anyConfig, (config) => {
        expect(completedConfig(config)).toEqual({ config, unknown: [] });
      }),
    );
    for (const value of [null, 5, 'text', [1], undefined])
      expect(completedConfig(value).config).toEqual(value);
    const hostile = JSON.parse('{"__proto__":{"polluted":1},"constructor":2}') as unknown;
    expect(completedConfig(hostile).unknown).toEqual(['__proto__', 'constructor']);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});
