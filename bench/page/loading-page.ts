/** The page of the loading bench: a model through the weight cache to WebGPU, and its first token. */
import { openEngine } from '../../src/gpu/engine';
import { loadPolicy } from '../../src/model/load-policy';
import { openRemote } from '../../src/model/source/remote-source';
import { openWeightCache } from '../../src/store/weights/weight-cache';

export interface LoadTimes {
  loadSeconds: number;
  /** From the beginning of the load to a token sampled from a prompt of eight. */
  firstTokenSeconds: number;
}

async function load(hub: string, revision: string, hubEndpoint: string): Promise<LoadTimes> {
  const begun = performance.now();
  const seconds = (): number => (performance.now() - begun) / 1000;
  const engine = await openEngine({ backend: 'webgpu' });
  const cache = await openWeightCache(openRemote);
  const policy = await loadPolicy(
    engine,
    { hub, revision },
    { lora: { rank: 16, alpha: 32 }, open: { hubEndpoint, cache } },
  );
  const loadSeconds = seconds();
  const options = { samplesPerPrompt: 1, maxNewTokens: 1, temperature: 1, seed: 1, stopIds: [] };
  await policy.generate([[1, 2, 3, 4, 5, 6, 7, 8]], options);
  return { loadSeconds, firstTokenSeconds: seconds() };
}

export type LoadingPage = typeof load;
Object.assign(globalThis, { load });
