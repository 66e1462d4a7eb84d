/** Kernels compiled ahead of a run: the run uses them, and its results do not change. */
import '../fixtures/webgpu/node-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { afterEach, expect, it } from 'vitest';
import { filesIn } from '../../src/command/model-places';
import { openEngine, type Engine } from '../../src/gpu/engine';
import { loadPolicy } from '../../src/model/load-policy';
import { eventsOf, lastCheckpoint, ofType, recordsOf, smallConfig } from './runs';

let engine: Engine | null = null;
afterEach(() => {
  engine?.dispose();
  engine = null;
});

const config = smallConfig({
  steps: 1,
  rollout: { promptsPerStep: 2, samplesPerPrompt: 4, temperature: 1, maxNewTokens: 17 },
  evaluation: { every: 1, items: 4, finalItems: 4, hardItems: 0, seed: 7 },
});

/** A run, and the kernels that were compiled only on first use. */
async function oneStep(isPrepared: boolean) {
  engine = await openEngine({ backend: 'webgpu' });
  const policy = await loadPolicy(engine, { files: await filesIn('public/models/ladder-25k') });
  if (!isPrepared) delete policy.compileAhead;
  const { device } = tf.backend() as unknown as { device: GPUDevice };
  const create = device.createComputePipeline.bind(device);
  const late: string[] = [];
  device.createComputePipeline = (descriptor) => {
    late.push(descriptor.label ?? '');
    return create(descriptor);
  };
  const events = await eventsOf(policy, config);
  policy.dispose();
  engine.dispose();
  const { parameters, moment1 } = lastCheckpoint(events).policy;
  return { events, late, results: [recordsOf(events), parameters, moment1] };
}

it('compiles most kernels before the first evaluation, with equal results', { tags: ['long'] }, async () => {
  const prepared = await oneStep(true);
  const plain = await oneStep(false);
  const counts = ofType(prepared.events, 'progress').flatMap(({ phase, count }) =>
    phase === 'compile' && count ? [count] : [],
  );
  const { total } = counts[0];
  expect(total).toBeGreaterThan(25);
  expect([counts[0], counts.at(-1)]).toEqual([0, total].map((done) => ({ done, total })));
  expect(prepared.late.length).toBeLessThan(plain.late.length / 3);
  // Kernels for fewer rows, as rows end.
  const heads = ({ late }: typeof plain) => late.filter((name) => name.startsWith('sample head')).length;
  expect(heads(plain)).toBeGreaterThan(1);
  expect(heads(prepared)).toBe(0);
  expect(prepared.results).toEqual(plain.results);
});
