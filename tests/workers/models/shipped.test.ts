import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished, vi } from 'vitest';
import { decodeLink, encodeLink, presets } from '../../../src/index';
import { findTrainedCopy } from '../../../workers/models/shipped';

it.each(['ladder-12k', 'ladder-25k', 'ladder-100k', 'ladder-398k'])(
  'what is shipped of %s is of its preset',
  async (name) => {
    vi.stubGlobal('fetch', async (address: URL) => new Response(await readFile(address)));
    onTestFinished(() => void vi.unstubAllGlobals());
    const { signal } = new AbortController();
    const base = pathToFileURL('public/').href;
    const copy = { url: new URL(`models/${name}/trained/`, base).href, step: 60 };
    expect(await findTrainedCopy(presets[name], base, signal)).toEqual(copy);
    expect(await findTrainedCopy({ ...presets[name], seed: 5 }, base, signal)).toBeNull();
    const warmed = { ...presets[name], warmStart: { updates: 1 } };
    expect(await findTrainedCopy(warmed, base, signal)).toBeNull();
    const { rollout } = presets[name];
    for (const changes of [{ promptsPerStep: 2 }, { samplesPerPrompt: 2 }, { instruction: 'coin' }]) {
      const other = { ...presets[name], rollout: { ...rollout, ...changes } };
      expect(await findTrainedCopy(other, base, signal), JSON.stringify(changes)).toBeNull();
    }
    const { config } = await decodeLink(await encodeLink(presets[name]));
    expect(await findTrainedCopy(config, base, signal)).toEqual(copy);
  },
);
