/**
 * Records a run of the default preset for the page's first paint:
 *
 *   node scripts/run.mjs scripts/record.ts [--seed 1] [--steps 150] [--out public/recording.json]
 *
 * It is a run like any other, on tfjs's wasm backend in Node; the page replays it and labels it as a recording.
 */
import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chartedMetrics } from '../src/app/charted-metrics';
import type { Recording } from '../src/app/recording';
import { defaultPreset, loadPolicy, openEngine, presets, train, type RunConfig } from '../src/index';
import { modelFiles } from './model-files';

/** Of the rollouts, the bulk of a recording, these stay: of every tenth step two prompts with four samples each. */
const rolloutsEvery = 10;
const promptsKept = 2;
const samplesKept = 4;
/** Digits that no chart shows are left out of the file. */
const digits = 4;

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    steps: { type: 'string' },
    out: { type: 'string', default: join(import.meta.dirname, '..', 'public', 'recording.json') },
  },
});
const preset = presets[defaultPreset];
const config: RunConfig = {
  ...preset,
  seed: Number(values.seed ?? preset.seed),
  steps: Number(values.steps ?? preset.steps),
};
if (config.model.kind !== 'embedded') throw new Error('The default preset has no embedded model.');

const folder = join(import.meta.dirname, '..', 'public', 'models', config.model.name);
const engine = await openEngine({ backend: 'wasm' });
const policy = await loadPolicy(engine, { files: await modelFiles(folder) });
const recording: Recording = {
  version: 1,
  config,
  machine: `Node ${process.versions.node.split('.')[0]}, WebAssembly, ${cpus().length} cores`,
  recordedOn: new Date().toISOString().slice(0, 10),
  seconds: 0,
  records: [],
  evals: [],
  rollouts: [],
};
const begun = performance.now();
for await (const event of train(engine, policy, config)) {
  if (event.type === 'step') {
    const { record } = event;
    const charted = chartedMetrics.filter((metric) => metric in record);
    recording.records.push({
      step: record.step,
      ...Object.fromEntries(charted.map((metric) => [metric, record[metric]])),
    });
    console.log(
      `step ${record.step}: reward ${record.reward.toFixed(2)}, length ${record['completions/mean_length'].toFixed(1)}`,
    );
  } else if (event.type === 'eval') {
    const { report, verdict, forecast } = event;
    // The outcomes of single items, from which the verdict has been drawn, are left out of the file.
    const compact = {
      ...report,
      outcomes: undefined,
      sampled: report.sampled && { ...report.sampled, correct: '' },
    };
    recording.evals.push({ report: compact, ...(verdict && { verdict }), ...(forecast && { forecast }) });
    console.log(`accuracy at step ${report.step}: ${report.overall.accuracy.toFixed(2)}`);
  } else if (event.type === 'rollouts' && (event.step === 1 || event.step % rolloutsEvery === 0)) {
    recording.rollouts.push(
      ...event.rollouts.filter(({ group, sample }) => group < promptsKept && sample < samplesKept),
    );
  } else if (event.type === 'failed' || event.type === 'lost') {
    throw new Error(`${event.error.message} ${event.error.nextStep}`);
  }
}
recording.seconds = Math.round((performance.now() - begun) / 1000);
policy.dispose();
engine.dispose();

const text = JSON.stringify(recording, (_, value: unknown) =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(digits)) : value,
);
await writeFile(values.out, `${text}\n`);
console.log(`${values.out}: ${(text.length / 1000).toFixed(0)} kB, ${recording.seconds} s`);
