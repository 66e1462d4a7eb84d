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
import { answeredTwice, byClarity } from '../../src/run/recording/answered-twice';
import { recordedMetrics, rungs, type Recording } from '../../src/run/recording/recording-file';
import { earlySteps, paidStep, batchOf, type PaidStep } from '../../src/run/recording/step-batch';
import { loadPolicy, openEngine, presets, train, type Policy, type Rollout } from '../../src/index';
import { isHardRollout } from '../../src/run/record/rollouts';
import { addEvent, growingHistory, type History } from '../../src/run/record/history';
import { filesIn } from '../../src/command/model-places';
import { compileKernels } from '../build/kernels';

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
  await saveTrained(join(model, 'trained'), policy);
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

async function saveTrained(into: string, policy: Policy): Promise<void> {
  await mkdir(into, { recursive: true });
  for (const [name, blob] of Object.entries(await policy.exportModel())) {
    await writeFile(join(into, name), new Uint8Array(await blob.arrayBuffer()));
  }
  for (const name of ['tokenizer.json', 'tokenizer_config.json']) {
    await copyFile(join(into, '..', name), join(into, name));
  }
}

/**
 * Rollouts are most of a recording. The first step and every tenth keep all samples of the first prompt and of the
 * first hard prompt. Other rollouts keep only reward and advantage, for the picture of the update.
 */
const keepsRolloutsOf = (step: number): boolean => step === 1 || step % 10 === 0;

/** The samples of the first prompt and of the first hard one, as texts. */
function telling(rollouts: readonly Rollout[]): Rollout[] {
  const hard = rollouts.find((rollout) => rollout.group > 0 && isHardRollout(rollout));
  return rollouts.filter(({ group }) => group === 0 || group === hard?.group);
}

/** Number of evaluation questions whose answers are kept as text. */
const questionsKept = 8;

/**
 * Selects, from the visible questions, those whose answers differ most clearly between the first and the last
 * evaluation.
 */
function tellingQuestions(evals: History['evals']): ReadonlySet<string> {
  const [first] = evals;
  const last = evals[evals.length - 1];
  const clearest = byClarity(answeredTwice(first, last)).slice(0, questionsKept);
  return new Set(clearest.map(({ before }) => before.itemId));
}

/** Projects a run to a recording. @param rollouts all rollouts of each kept step */
function recorded(
  { steps, evals }: History,
  rollouts: readonly (readonly Rollout[])[],
): Pick<Recording, 'records' | 'evals' | 'rollouts' | 'batches'> {
  const selected = tellingQuestions(evals);
  return {
    records: steps.map((record) => ({
      step: record.step,
      ...Object.fromEntries(
        recordedMetrics.filter((metric) => metric in record).map((metric) => [metric, record[metric]]),
      ),
    })),
    // Leaves out the outcomes of single items, because the verdict is already computed.
    evals: evals.map((evaluation) => {
      const { report } = evaluation;
      const sampled = report.sampled && { ...report.sampled, correct: '' };
      const samples = report.samples.filter(({ itemId }) => selected.has(itemId));
      return { ...evaluation, report: { ...report, outcomes: undefined, sampled, samples } };
    }),
    rollouts: rollouts.flatMap(telling),
    // Keeps all samples in order; the page counts them itself.
    batches: rollouts.map((step) => ({ ...batchOf(step), samples: undefined })),
  };
}

compileKernels();
const names = process.argv.slice(2);
const all = [...rungs.map(({ preset }) => preset), 'ladder-100k'];
for (const preset of names.length > 0 ? names : all) await record(preset);
