import { describe, expect, it } from 'vitest';
import { checkRunConfig } from '../../../src/run/config/check-config';
import type { RunConfig } from '../../../src/run/config/config';
import { presets } from '../../../src/run/config/presets';
import { warmStartDefaults, warmStartOf } from '../../../src/run/config/warm-start';
import { refusal } from '../../model/refusal';

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
