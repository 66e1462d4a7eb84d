// A reward of one's own: `npm install marble-rl`, then `node custom-reward.mjs`. docs/add-a-reward.md says more.
import { openAsBlob } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadPolicy, openEngine, presets, train } from 'marble-rl';

/** The built-in total, less a hundredth for each word of thinking. */
const brevity = (completion, item, scored) => scored.total - (scored.think.match(/\S+/g) ?? []).length / 100;

const folder = new URL('models/ladder-25k/', import.meta.resolve('marble-rl'));
const names = ['config.json', 'model.safetensors', 'tokenizer.json', 'tokenizer_config.json'];
const files = names.map(async (name) => [name, await openAsBlob(fileURLToPath(new URL(name, folder)))]);

const engine = await openEngine({ backend: 'wasm' });
const policy = await loadPolicy(engine, { files: Object.fromEntries(await Promise.all(files)) });
const preset = presets['ladder-25k'];
const evaluation = { ...preset.evaluation, items: 20, finalItems: 20 };
const config = { ...preset, seed: 3, steps: 2, evaluation };
for await (const event of train(engine, policy, config, undefined, { reward: brevity })) {
  if (event.type === 'step') console.log(`step ${event.record.step}: reward ${event.record.reward}`);
  if (event.type === 'eval') console.log(`custom reward: ${event.report.customReward}`);
  if (event.type === 'failed') console.log(event.error.message);
}
policy.dispose();
engine.dispose();
