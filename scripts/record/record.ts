/**
 * Records a run of a preset for the page's first paint, which shows the default run beside two others:
 *
 *   node scripts/run.mjs scripts/record/record.ts [--preset nano-order-1] [--seed 1] [--steps 150] [--out file.json]
 *
 * It is a run like any other, on tfjs's wasm backend in Node; the page replays it and labels it as a recording.
 */
import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Recording } from '../../src/app/start/recording';
import { recordingFiles } from '../../src/app/start/recorded-presets';
import {
  defaultPreset,
  loadPolicy,
  openEngine,
  presets,
  train,
  type Rollout,
  type RunConfig,
} from '../../src/index';
import { addEvent, growingHistory } from '../../src/run/record/history';
import { modelFiles } from '../pretrain/model-files';
import { keepsRolloutsOf, recorded } from './recorded';

/** Digits that no chart shows are left out of the file. */
const digits = 4;

const { values } = parseArgs({
  options: {
    preset: { type: 'string', default: defaultPreset },
    seed: { type: 'string' },
    steps: { type: 'string' },
    out: { type: 'string' },
  },
});
if (!Object.hasOwn(presets, values.preset)) throw new Error(`There is no preset named ${values.preset}.`);
const preset = presets[values.preset];
const out =
  values.out ??
  join(
    import.meta.dirname,
    '..',
    '..',
    'public',
    recordingFiles[values.preset] ?? `recording-${values.preset}.json`,
  );
const config: RunConfig = {
  ...preset,
  seed: Number(values.seed ?? preset.seed),
  steps: Number(values.steps ?? preset.steps),
};
if (config.model.kind !== 'embedded') throw new Error(`The model of ${values.preset} is not embedded.`);

const folder = join(import.meta.dirname, '..', '..', 'public', 'models', config.model.name);
const engine = await openEngine({ backend: 'wasm' });
const policy = await loadPolicy(engine, { files: await modelFiles(folder) });
const rollouts: Rollout[][] = [];
const history = growingHistory();

const begun = performance.now();
for await (const event of train(engine, policy, config)) {
  addEvent(history, event);
  if (event.type === 'step') {
    const { record } = event;
    console.log(
      `step ${record.step}: reward ${record.reward.toFixed(2)}, length ${record['completions/mean_length'].toFixed(1)}`,
    );
  } else if (event.type === 'eval') {
    const { step, overall } = event.report;
    console.log(`accuracy at step ${step}: ${overall.accuracy.toFixed(2)}`);
  } else if (event.type === 'rollouts' && keepsRolloutsOf(event.step)) {
    rollouts.push(event.rollouts);
  } else if (event.type === 'failed' || event.type === 'lost') {
    throw new Error(`${event.error.message} ${event.error.nextStep}`);
  }
}
const recording: Recording = {
  version: 1,
  config,
  machine: `Node ${process.versions.node.split('.')[0]}, WebAssembly, ${cpus().length} cores`,
  recordedOn: new Date().toISOString().slice(0, 10),
  seconds: Math.round((performance.now() - begun) / 1000),
  ...recorded(history, rollouts),
};
policy.dispose();
engine.dispose();

const text = JSON.stringify(recording, (_, value: unknown) =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(digits)) : value,
);
await writeFile(out, `${text}\n`);
console.log(`${out}: ${(text.length / 1000).toFixed(0)} kB, ${recording.seconds} s`);
