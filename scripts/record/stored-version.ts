/**
 * Writes the stored form of a short run as a fixture for later versions of Marble: its entries in the browser's storage
 * and its run file, as tests/fixtures/stored/NAME.json and NAME.marble. Run it once for each released version:
 *
 *     npx tsx scripts/record/stored-version.ts NAME
 *
 * The model is the tests' table policy; four numbers of its weights are stored.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { train } from '../../src/rl/trainer';
import type { Checkpoint, TrainerEvent } from '../../src/run/record/events';
import { newRunRecord } from '../../src/run/record/new-run';
import { packRun } from '../../src/share/run-file';
import { createRunStore } from '../../src/store/runs';
import { smallConfig } from '../../tests/rl/runs';
import { createTablePolicy } from '../../tests/rl/table-policy';
import { createMemoryStore } from '../../tests/store/memory-store';

const [name] = process.argv.slice(2);

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

const small = smallConfig();
const config = {
  ...small,
  steps: 4,
  rollout: { ...small.rollout, promptsPerStep: 1, samplesPerPrompt: 2 },
  evaluation: { ...small.evaluation, every: 2, items: 2 },
  checkpointEvery: 1,
};
const memory = createMemoryStore();
const store = createRunStore(memory.use);
const { id } = await store.createRun(newRunRecord(config, name, { adapter: 'none' }));
let waiting: TrainerEvent[] = [];
for await (const event of train(createTablePolicy(), config)) {
  if (event.type === 'checkpoint') {
    await store.saveCheckpoint(id, light(event.checkpoint), waiting);
    waiting = [];
    if (event.checkpoint.step === 3) break; // interrupted with one step left
  } else waiting.push(event);
}

const written = JSON.stringify(memory.entries(), (_, value: unknown) =>
  value instanceof Float32Array ? { $floats: [...value] } : value,
);
const folder = join(import.meta.dirname, '..', '..', 'tests', 'fixtures', 'stored');
writeFileSync(join(folder, `${name}.json`), `${written}\n`);

const history = await store.loadRun(id);
const checkpoint = (await store.loadCheckpoint(id))!.checkpoint;
const file = await packRun({ history, rollouts: store.rolloutBatches(id), checkpoint });
writeFileSync(join(folder, `${name}.marble`), new Uint8Array(await file.arrayBuffer()));
