/**
 * What a version of Marble keeps of a short run, as fixtures for the versions after it: its entries in the browser's
 * storage, and its run file. Run whenever the stored form changes, for the version before the change:
 *
 *   npx tsx scripts/stored-version.ts CHECKOUT NAME
 *
 * CHECKOUT is a checkout of that version with its node_modules; the fixtures go to tests/fixtures/stored/NAME.json and
 * NAME.marble. The model is the tests' table; of its weights four numbers are kept.
 */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { createTablePolicy } from '../tests/rl/table-policy';
import type { smallConfig } from '../tests/rl/runs';
import { createMemoryStore } from '../tests/store/memory-store';
import type { train } from '../src/rl/trainer';
import type { Checkpoint, TrainerEvent } from '../src/run/events';
import type { exportRun } from '../src/share/run-file';
import type { createRunStore } from '../src/store/runs';

const [checkout, name] = process.argv.slice(2);
const from = <T>(path: string): Promise<T> => import(join(resolve(checkout), path)) as Promise<T>;
const runs = await from<{ smallConfig: typeof smallConfig }>('tests/rl/runs.ts');
const table = await from<{ createTablePolicy: typeof createTablePolicy }>('tests/rl/table-policy.ts');
const trainer = await from<{ train: typeof train }>('src/rl/trainer.ts');
const store = await from<{ createRunStore: typeof createRunStore }>('src/store/runs.ts');
const files = await from<{ exportRun: typeof exportRun }>('src/share/run-file.ts');

const short = (numbers: Float32Array): Float32Array => numbers.slice(0, 4);

function light(checkpoint: Checkpoint): Checkpoint {
  const { parameters, moment1, moment2, updates, reference } = checkpoint.policy;
  return {
    ...checkpoint,
    policy: {
      ...{ parameters: short(parameters), moment1: short(moment1), moment2: short(moment2), updates },
      reference: reference && short(reference),
    },
  };
}

const small = runs.smallConfig();
const config = {
  ...small,
  steps: 4,
  rollout: { ...small.rollout, promptsPerStep: 1, samplesPerPrompt: 2 },
  evaluation: { ...small.evaluation, every: 2, items: 2 },
  checkpointEvery: 1,
};
const memory = createMemoryStore();
const kept = store.createRunStore(memory.use);
const { id } = await kept.createRun(config, name, { adapter: 'none' });
let waiting: TrainerEvent[] = [];
for await (const event of trainer.train(table.createTablePolicy(), config)) {
  if (event.type === 'checkpoint') {
    await kept.saveCheckpoint(id, light(event.checkpoint), waiting, { best: event.best === true });
    waiting = [];
    if (event.checkpoint.step === 3) break; // cut off with a step to go
  } else waiting.push(event);
}

const written = JSON.stringify(memory.entries(), (_, value: unknown) =>
  value instanceof Float32Array ? { $floats: [...value] } : value,
);
const folder = join(import.meta.dirname, '..', 'tests', 'fixtures', 'stored');
writeFileSync(join(folder, `${name}.json`), `${written}\n`);

const history = await kept.loadRun(id);
const rollouts = await kept.loadRollouts(id);
const batches = [1, 2, 3].map((step) => rollouts.filter((rollout) => rollout.step === step));
const checkpoint = (await kept.loadCheckpoint(id))!.checkpoint;
const isFlat = process.argv.includes('--flat'); // before run files of version 2
const file = await files.exportRun({
  history,
  rollouts: isFlat ? (rollouts as never) : batches,
  checkpoint,
});
writeFileSync(join(folder, `${name}.marble`), new Uint8Array(await file.arrayBuffer()));
