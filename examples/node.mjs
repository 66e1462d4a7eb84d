// A run in Node: `npm install marble-rl`, then `node node.mjs`. Marble and other programs of tfjs share one core, so that
// tensors made here are on the device that Marble opened.
import * as tf from '@tensorflow/tfjs-core';
import { openAsBlob } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadPolicy, openEngine, presets, train } from 'marble-rl';

const folder = new URL('models/ladder-25k/', import.meta.resolve('marble-rl'));
const names = ['config.json', 'model.safetensors', 'tokenizer.json', 'tokenizer_config.json'];
const files = names.map(async (name) => [name, await openAsBlob(fileURLToPath(new URL(name, folder)))]);

// For a graphics card: npm install webgpu, `await (await import('marble-rl/dawn')).openDawn()`, and backend 'webgpu'.
const engine = await openEngine({ backend: 'wasm' });
const policy = await loadPolicy(engine, { files: Object.fromEntries(await Promise.all(files)) });
const preset = presets['ladder-25k'];
const evaluation = { ...preset.evaluation, items: 20, finalItems: 20 };
for await (const event of train(engine, policy, { ...preset, seed: 3, steps: 2, evaluation })) {
  if (event.type === 'step') console.log(`step ${event.record.step}: reward ${event.record.reward}`);
  if (event.type === 'eval') console.log(`right: ${event.report.overall.accuracy}`);
}

const squares = tf.square(tf.tensor([1, 2, 3]));
console.log(`tfjs computes on ${tf.getBackend()}: ${Array.from(await squares.data()).join(', ')}`);
policy.dispose();
engine.dispose();
