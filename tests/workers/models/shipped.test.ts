import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished, vi } from 'vitest';
import { filesIn } from '../../../src/command/model-places';
import { decodeLink, encodeLink, loadPolicy, openEngine, presets, train } from '../../../src/index';
import type { EvalReport } from '../../../src/run/record/evaluation';
import { decidesEvaluation, findTrainedCopy, type FirstEvaluation } from '../../../workers/models/shipped';

async function shipped(name: string): Promise<FirstEvaluation> {
  return JSON.parse(await readFile(`public/models/${name}/evaluation.json`, 'utf8')) as FirstEvaluation;
}

it.each(['ladder-12k', 'ladder-25k', 'ladder-100k', 'ladder-398k'])(
  'what is shipped of %s is of its preset',
  async (name) => {
    expect((await shipped(name)).of).toBe(decidesEvaluation(presets[name]));
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

it('an evaluation is not that of another prompt', () => {
  const config = presets['ladder-12k'];
  const asked = { ...config, rollout: { ...config.rollout, instruction: 'coin' } };
  expect(decidesEvaluation(asked)).not.toBe(decidesEvaluation(config));
});

it(
  'a run from any seed finds at step 0 what was found before, to the last bit',
  { tags: ['long'], timeout: 60_000 },
  async () => {
    const engine = await openEngine({ backend: 'wasm' });
    const policy = await loadPolicy(engine, { files: await filesIn('public/models/ladder-12k') });
    const config = { ...presets['ladder-12k'], seed: 5 };
    let found: EvalReport | null = null;
    for await (const event of train(engine, policy, config)) {
      if (event.type !== 'eval') continue;
      found = event.report;
      break;
    }
    policy.dispose();
    engine.dispose();
    expect(JSON.parse(JSON.stringify(found))).toEqual((await shipped('ladder-12k')).report);
  },
);
