/**
 * Trains the three models of the ladder by their presets and writes what the page shows of them before anybody has pressed a
 * button: `public/ladder.json`, and beside each model its evaluation before the first step (`evaluation.json`).
 *
 *   node scripts/run.mjs scripts/record/record-ladder.ts
 */
import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import {
  answerOf,
  curvesOf,
  endingOf,
  rungs,
  type Answer,
  type RecordedLadder,
  type RecordedRung,
} from '../../src/app/ladder/rung';
import { loadPolicy, openEngine, presets, train } from '../../src/index';
import { decidesEvaluation, type FirstEvaluation } from '../../src/run/record/first-evaluation';
import { addEvent, growingHistory } from '../../src/run/record/history';
import { modelFiles } from '../pretrain/model-files';

const folder = join(import.meta.dirname, '..', '..', 'public');
/** Digits that no chart shows are left out of the file. */
const digits = 4;

async function recordRung(preset: string): Promise<RecordedRung> {
  const config = presets[preset];
  if (config.model.kind !== 'embedded') throw new Error(`The model of ${preset} is not embedded.`);
  const model = join(folder, 'models', config.model.name);
  const engine = await openEngine({ backend: 'wasm' });
  const policy = await loadPolicy(engine, { files: await modelFiles(model) });
  const history = growingHistory();
  const answers: Answer[] = [];
  const elapsed: number[] = [];
  let begun = performance.now();
  for await (const event of train(engine, policy, config)) {
    addEvent(history, event);
    if (event.type === 'failed' || event.type === 'lost') throw new Error(event.error.message);
    if (event.type === 'eval' && event.report.step === 0) {
      const first: FirstEvaluation = { of: decidesEvaluation(config), backend: 'wasm', report: event.report };
      await writeFile(join(model, 'evaluation.json'), `${JSON.stringify(first)}\n`);
      begun = performance.now(); // a run on the page begins after it
    }
    if (event.type === 'step' || event.type === 'done') elapsed.push((performance.now() - begun) / 1000);
    const answer = event.type === 'rollouts' ? answerOf(event.rollouts) : null;
    if (answer !== null) answers.push(answer);
  }
  policy.dispose();
  engine.dispose();
  const ending = endingOf(history.evals);
  if (ending === null) throw new Error(`The last step of ${preset} was not judged.`);
  console.log(`${preset}: ${ending}, ${elapsed.at(-1)!.toFixed(0)} s`);
  const { seed, steps } = config;
  return { preset, seed, steps, elapsed, answers, ending, ...curvesOf(history.steps, history.evals) };
}

const made: RecordedRung[] = [];
for (const { preset } of rungs) made.push(await recordRung(preset));
const recorded: RecordedLadder = {
  machine: `Node ${process.versions.node.split('.')[0]}, WebAssembly, ${cpus().length} cores`,
  recordedOn: new Date().toISOString().slice(0, 10),
  rungs: made,
};
const text = JSON.stringify(recorded, (_, value: unknown) =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(digits)) : value,
);
await writeFile(join(folder, 'ladder.json'), `${text}\n`);
console.log(`ladder.json: ${(text.length / 1000).toFixed(0)} kB`);
