/**
 * Makes one run of the plan, from its start to its last measurement. `--id` names the run, `--out` the file for its line of
 * JSON. Starts are cached in .cache/study/starts; missing ones are pretrained.
 */
import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { loadPolicy, openEngine, train, type StepRecord } from '../../src/index';
import { pretrain } from '../../src/rl/supervised/pretraining';
import { modelFiles, writeModel } from '../pretrain/model-folder';
import { newModel } from '../pretrain/model-shapes';
import { planOf } from '../pretrain/pretraining-plans';
import { restoreState, saveState } from '../pretrain/pretraining-state';
import { look, measure, measureModes, type Look } from './measure';
import { payRuns, runs, startId, type RunPlan, type StartPlan } from './study-plan';
import { columnsOf, writeLine } from './write-line';

const STARTS = '.cache/study/starts';
const SAVED_EVERY = 100;
const LOOKS = [5, 10, 15, 25, 40, 60, 100];
/** Further looks of the longer runs of study 3a. */
const LATER_LOOKS = [150, 200, 300];
const KEPT = ['reward', 'accuracy', 'think/mean_length', 'trace/validity', 'kl', 'entropy', 'grad_norm'];

await writeLine([...runs, ...payRuns], makeRun);

async function makeRun({ study, start, config }: RunPlan) {
  const begun = performance.now();
  const engine = await openEngine({ backend: 'wasm' });
  const folder = `${STARTS}/${startId(start)}`;
  if (!existsSync(folder)) await makeStart(start, folder);
  const pretrained = performance.now();
  const policy = await loadPolicy(engine, { files: await modelFiles(folder) });
  const modes = await measureModes(policy, {
    rho: config.data.rho,
    temperature: config.rollout.temperature,
  });
  const before = await measure(policy);
  const steps: StepRecord[] = [];
  const looks: (Look & { step: number })[] = [];
  const lookSteps = study === '3a' ? [...LOOKS, ...LATER_LOOKS] : LOOKS;
  for await (const event of train(engine, policy, config, undefined, { anyway: true })) {
    if (event.type === 'failed') throw new Error(`${event.error.code}: ${event.error.message}`);
    if (event.type !== 'step') continue;
    steps.push(event.record);
    const { step } = event.record;
    if (lookSteps.includes(step)) looks.push({ step, ...(await look(policy)) });
  }
  return {
    machine: { backend: engine.backend },
    seconds: {
      pretraining: (pretrained - begun) / 1000,
      all: (performance.now() - begun) / 1000,
    },
    modes,
    before,
    looks,
    after: await measure(policy),
    steps: columnsOf(steps, KEPT),
  };

  async function makeStart({ size, seed, steps: most, rate }: StartPlan, into: string): Promise<void> {
    const { shape, vocabulary, recipe } = planOf({ model: `swap-${size}`, seed, steps: most, rate });
    const model = await newModel(engine, shape, vocabulary, seed);
    await mkdir(STARTS, { recursive: true });
    const state = `${into}.state`;
    const signature = JSON.stringify({ size, recipe });
    const done = (await restoreState(state, model.policy, signature)) ?? undefined;
    await pretrain(model.policy, recipe, {
      done,
      onStep: async ({ step, num_tokens: tokens }) => {
        if (step % SAVED_EVERY === 0)
          await saveState(state, model.policy, { steps: step, tokens, recipe: signature });
      },
    });
    const part = `${into}.part-${process.pid}`;
    await writeModel(part, { ...(await model.policy.exportModel()), ...model.tokenizerFiles });
    await rename(part, into);
    model.policy.dispose();
  }
}
