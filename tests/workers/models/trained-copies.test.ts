import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { decodeLink, encodeLink, presets } from '../../../src/index';
import type { RunConfig } from '../../../src/run/config/config';
import { configKey } from '../../../src/run/config/fields';
import { trainedCopyOf } from '../../../workers/models/ask';

const base = 'https://marble.example/';

/** Hash of the settings with which the shipped weights were trained. Other settings need other weights (scripts/record). */
const trainedWith = [
  ['ladder-12k', '6d6d33e6'],
  ['ladder-25k', 'e3b77f2d'],
  ['ladder-100k', 'd55a6cba'],
  ['ladder-398k', '9b8f8930'],
] as const;

it.each(trainedWith)(
  'what is shipped of %s is of its preset, and answers for runs with its settings only',
  async (name, hash) => {
    const preset = presets[name];
    const { preset: _, checkpointEvery: __, evaluation: ___, ...decided } = preset;
    expect(
      createHash('sha256')
        .update(configKey(decided as unknown as RunConfig))
        .digest('hex')
        .slice(0, 8),
    ).toBe(hash);
    const found = { url: `${base}models/${name}/trained/`, step: 60 };
    const { config } = await decodeLink(await encodeLink({ ...preset, checkpointEvery: 1 }));
    for (const same of [preset, config]) expect(trainedCopyOf(same, base)).toEqual(found);
    const { rollout } = preset;
    for (const changes of [
      { seed: 5 },
      { warmStart: { updates: 1 } },
      { rollout: { ...rollout, instruction: 'coin' } },
      { model: { kind: 'embedded' as const, name: 'ladder-new' } },
    ])
      expect(trainedCopyOf({ ...preset, ...changes }, base), JSON.stringify(changes)).toBeNull();
  },
);
