/** Kernels compiled ahead of a run: the run uses them, and its results do not change. */
import '../fixtures/webgpu/node-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { afterEach, expect, it } from 'vitest';
import { filesIn } from '../../src/command/model-places';
import { openEngine, type Engine } from '../../src/gpu/engine';
import { loadPolicy } from '../../src/model/load-policy';
import { timingMetrics } from '../../src/run/record/metrics';
import type { TrainerEvent } from '../../src/run/record/events';
import { eventsOf, ofType, smallConfig } from './runs';

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
async function oneStep(isPrepared: boolean): Promise<{ events: TrainerEvent[]; late: string[] }> {
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
  return { events, late };
}

it('compiles most kernels before the first evaluation, with equal results', { tags: ['long'] }, async () => {
  const prepared = await oneStep(true);
  const plain = await oneStep(false);

  const counts = ofType(prepared.events, 'progress').flatMap(({ phase, count }) =>
    phase === 'compile' && count ? [count] : [],
  );
  const { total } = counts[0];
  expect(counts[0].done).toBe(0);
  expect(counts.at(-1)).toEqual({ done: total, total });
  expect(prepared.events.slice(0, counts.length)).toEqual(
    counts.map((count): unknown => expect.objectContaining({ phase: 'compile', count })),
  );
  expect(total).toBeGreaterThan(25);
  expect(prepared.late.length).toBeLessThan(plain.late.length / 3);
  const heads = ({ late }: typeof plain): string[] => late.filter((name) => name.startsWith('sample head'));
  expect(heads(plain).length).toBeGreaterThan(1); // kernels for fewer rows, as rows end
  expect(heads(prepared)).toEqual([]);

  const [record, expected] = [prepared.events, plain.events].map((events) => {
    const [step] = ofType(events, 'step');
    return Object.fromEntries(Object.entries(step.record).filter(([name]) => !timingMetrics.includes(name)));
  });
  expect(record).toEqual(expected);
  const [after, expectedAfter] = [prepared.events, plain.events].map(
    (events) => ofType(events, 'checkpoint').at(-1)!.checkpoint.policy,
  );
  expect(after.parameters).toEqual(expectedAfter.parameters);
  expect(after.moment1).toEqual(expectedAfter.moment1);
});
