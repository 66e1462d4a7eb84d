import { expect, it } from 'vitest';
import { decodeLink, encodeLink, presets } from '../../../src/index';
import { trainedCopyOf } from '../../../workers/models/ask';

const base = 'https://marble.example/';

it.each(['ladder-12k', 'ladder-25k', 'ladder-100k', 'ladder-398k'])(
  'what is shipped of %s answers for runs with its settings only',
  async (name) => {
    const preset = presets[name];
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
