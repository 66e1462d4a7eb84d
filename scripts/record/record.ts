/**
 * Trains the models of the ladder with their presets and saves what the page shows before a run starts: the three runs
 * on the first screen, `public/recordings/<preset>.json`, and for each model its trained weights (`trained`).
 *
 *     npx tsx scripts/record/record.ts [preset ...]
 *
 * These are normal runs on tfjs's wasm backend in Node; the page replays them and labels them as recordings.
 */
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rungs, type Recording } from '../../src/run/recording/recording-file';
import { earlySteps, paidStep, type PaidStep } from '../../src/run/recording/paid-step';
import { loadPolicy, openEngine, presets, train, type Policy, type Rollout } from '../../src/index';
import { addEvent, growingHistory } from '../../src/run/record/history';
import { filesIn } from '../../src/command/model-places';
import { compileKernels } from '../build/kernels';
import { keepsRolloutsOf, recorded } from './recorded';

// Measures processor time, which other programs on the machine do not affect.
performance.now = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const folder = join(import.meta.dirname, '..', '..', 'public');
/** Significant digits in the file; no chart shows more. */
const digits = 4;

async function record(preset: string): Promise<void> {
  const config = presets[preset];
  if (config.model.kind !== 'embedded') throw new Error(`The model of ${preset} is not embedded.`);
  const model = join(folder, 'models', config.model.name);
  const engine = await openEngine({ backend: 'wasm' });
  const policy = await loadPolicy(engine, { files: await filesIn(model) });
  const rollouts: Rollout[][] = [];
  const paid: PaidStep[] = [];
  const history = growingHistory();
  const begun = performance.now();
  for await (const event of train(engine, policy, config)) {
    addEvent(history, event);
    if (event.type === 'rollouts') {
      const isKept = keepsRolloutsOf(event.step);
      if (isKept) rollouts.push(event.rollouts);
      if (isKept || event.step <= earlySteps) paid.push(paidStep(event.step, event.rollouts));
    } else if (event.type === 'failed' || event.type === 'lost') {
      throw new Error(`${event.error.message} ${event.error.nextStep}`);
    }
  }
  const { preset: _, checkpointEvery: __, evaluation: ___, ...decided } = config;
  await saveTrained(join(model, 'trained'), policy, { of: JSON.stringify(decided), step: config.steps });
  policy.dispose();
  engine.dispose();
  const recording: Recording = {
    version: 3,
    config,
    ...recorded(history, rollouts),
    paid,
  };
  const text = JSON.stringify(recording, (_, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(digits)) : value,
  );
  if (rungs.some((rung) => rung.preset === preset)) {
    await mkdir(join(folder, 'recordings'), { recursive: true });
    await writeFile(join(folder, 'recordings', `${preset}.json`), `${text}\n`);
  }
  const ending = history.evals.at(-1)?.verdict?.ending;
  console.log(
    `${preset}: ${ending}, ${(text.length / 1000).toFixed(0)} kB, ${((performance.now() - begun) / 1000).toFixed(0)} s`,
  );
}

/** @param copy - the settings that decided the weights, and their step; a test compares them with the preset */
async function saveTrained(into: string, policy: Policy, copy: { of: string; step: number }): Promise<void> {
  await mkdir(into, { recursive: true });
  await writeFile(join(into, 'run.json'), `${JSON.stringify(copy)}\n`);
  for (const [name, blob] of Object.entries(await policy.exportModel())) {
    await writeFile(join(into, name), new Uint8Array(await blob.arrayBuffer()));
  }
  for (const name of ['tokenizer.json', 'tokenizer_config.json']) {
    await copyFile(join(into, '..', name), join(into, name));
  }
}

compileKernels();
const names = process.argv.slice(2);
const all = [...rungs.map(({ preset }) => preset), 'ladder-100k'];
for (const preset of names.length > 0 ? names : all) await record(preset);
