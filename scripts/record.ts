/**
 * Records a run of a preset for the page's first paint, which shows the default run beside two others:
 *
 *   node scripts/run.mjs scripts/record.ts [--preset nano-order-1] [--seed 1] [--steps 150] [--out file.json]
 *
 * It is a run like any other, on tfjs's wasm backend in Node; the page replays it and labels it as a recording.
 */
import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chartedMetrics } from '../src/app/charted-metrics';
import type { Recording } from '../src/app/recording';
import type { StepBatch } from '../src/app/update/step-batch';
import { recordingFiles } from '../src/app/recorded-presets';
import {
  defaultPreset,
  loadPolicy,
  openEngine,
  presets,
  train,
  type Rollout,
  type RunConfig,
} from '../src/index';
import { modelFiles } from './model-files';

/**
 * Of the rollouts, the bulk of a recording, these stay: of every tenth step all samples of the first prompt and of the first
 * whose shortcut is wrong. Of the others the reward and the advantage stay, for the picture of the update.
 */
const rolloutsEvery = 10;
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
    'public',
    recordingFiles[values.preset] ?? `recording-${values.preset}.json`,
  );
const config: RunConfig = {
  ...preset,
  seed: Number(values.seed ?? preset.seed),
  steps: Number(values.steps ?? preset.steps),
};
if (config.model.kind !== 'embedded') throw new Error(`The model of ${values.preset} is not embedded.`);

const folder = join(import.meta.dirname, '..', 'public', 'models', config.model.name);
const engine = await openEngine({ backend: 'wasm' });
const policy = await loadPolicy(engine, { files: await modelFiles(folder) });
const batches: StepBatch[] = [];
const recording: Recording = {
  version: 1,
  config,
  machine: `Node ${process.versions.node.split('.')[0]}, WebAssembly, ${cpus().length} cores`,
  recordedOn: new Date().toISOString().slice(0, 10),
  seconds: 0,
  records: [],
  evals: [],
  rollouts: [],
  batches,
};

/** The first prompt's samples, and those of the first one whose shortcut is wrong. */
function telling(rollouts: readonly Rollout[]): Rollout[] {
  const wrong = rollouts.find(
    ({ group, shortcutAnswer, goldAnswer }) =>
      group > 0 && shortcutAnswer !== null && shortcutAnswer !== goldAnswer,
  );
  return rollouts.filter(({ group }) => group === 0 || group === wrong?.group);
}

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
    const { step, rollouts } = event;
    recording.rollouts.push(...telling(rollouts));
    batches.push({
      step,
      groups: rollouts.map(({ group }) => group),
      rewards: rollouts.map(({ reward }) => reward.total),
      tokens: rollouts.map(({ tokens }) => tokens),
      advantages: rollouts.map(({ advantage }) => advantage),
    });
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
await writeFile(out, `${text}\n`);
console.log(`${out}: ${(text.length / 1000).toFixed(0)} kB, ${recording.seconds} s`);
