import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { openDryEngine } from '../../src/gpu/dry/engine';
import { embeddedConfig } from '../export/model-folder';
import { decode } from '../../src/model/decoding/decoder';
import { readPrompts } from '../../src/model/decoding/prompt-caches';
import { buildWeights } from '../../src/model/files/build-weights';
import { randomSupply } from '../model/random-supply';
import { disposeWeights } from '../../src/model/weights';
import { rmsNorm } from '../../src/ops/rms-norm';
import { disposeTables, ropeTables, rotaryFrequencies } from '../../src/ops/rope';
import { policyOf } from '../model/tiny';
import { engine, openEngineForAll } from '../fixtures/engine';
import { peaksOf } from './phases';

openEngineForAll('wasm');

describe('a dry engine on wasm', () => {
  it.each([
    ['ladder-12k', null, { samples: 3, promptTokens: 41, newTokens: 19 }],
    ['ladder-100k', null, { samples: 1, promptTokens: 41, newTokens: 19 }],
    ['ladder-398k', { rank: 4, alpha: 8 }, { samples: 4, promptTokens: 41, newTokens: 19 }],
    ['ladder-25k', null, { samples: 4, promptTokens: 3, newTokens: 90 }],
  ])('has the peak of every phase of a real run of %s, byte for byte', async (name, lora, lengths) => {
    const shape = { config: embeddedConfig(name), lora, prompts: 3, ...lengths };
    const supply = () => randomSupply(1, 0.05, lora === null);
    const real = await peaksOf(engine, supply(), shape);
    const dry = await openDryEngine({ backend: 'wasm' });
    const counted = await peaksOf(dry, supply(), shape);
    const { flops, calls } = dry.work;
    await dry.dispose();
    expect(counted).toEqual(real);
    expect(flops).toBeGreaterThan(1e7);
    expect(calls).toBeGreaterThan(500);
  });

  it('counts the steps of sampling that it leaves out', async () => {
    const dry = await openDryEngine({ backend: 'wasm' });
    const config = embeddedConfig('ladder-25k');
    const policy = await policyOf(dry, config, randomSupply(1, 0.05));
    const prompts = [[2, 3, 4, 5, 6]];
    const options = { samplesPerPrompt: 3, maxNewTokens: 60, temperature: 1, seed: 1, stopIds: [] };
    await policy.generate(prompts, options);
    const { flops, calls } = dry.work;
    const weights = await buildWeights(config, randomSupply(1, 0.05));
    const tables = ropeTables(128, rotaryFrequencies(config.headDim, config.ropeTheta));
    const model = { config, weights, tables };
    const reading = { bucket: 1, chunkTokens: 512, withoutPadding: true, engine: dry };
    const read = await readPrompts(model, prompts, reading);
    await decode(model, read, prompts, options, dry); // every step
    read.dispose();
    expect((dry.work.flops - flops) / flops).toBeCloseTo(1, 3);
    expect((dry.work.calls - calls) / calls).toBeCloseTo(1, 2);
    policy.dispose();
    disposeWeights(weights);
    disposeTables(tables);
    await dry.dispose();
  });

  it('restores the open engine unchanged', async () => {
    const x = tf.tensor1d([1, 2, 3]);
    const before = engine.memory();
    const dry = await openDryEngine({ backend: 'wasm' });
    const held = tf.zeros([1000, 1000]);
    expect(dry.memory().total).toBeGreaterThan(4e6);
    expect([...tf.exp(held).dataSync().subarray(0, 2)]).toEqual([0, 0]); // nothing is computed
    held.dispose();
    await dry.dispose();
    expect(engine.memory()).toEqual(before);
    expect([...tf.mul(x, x).dataSync()]).toEqual([1, 4, 9]);
    const norm = rmsNorm(tf.tensor2d([[3, -3]]), tf.ones([2]), 0);
    expect([...norm.dataSync()]).toEqual([1, -1]); // by Marble's own kernel
    x.dispose();
  });
});
