/**
 * H7: the runs of `hitom-mini`, measured on published items, which enter no training and whose files are others'. Makes every
 * seed that has no line in docs/experiments/hitom.jsonl yet; a line holds outcomes, nothing of the items themselves.
 *
 *   npm run experiments:published -- --published Hi-ToM_data.json,ToM_train_HiEx_hint.parquet
 *     [--model public/models/hitom-mini] [--seed 101]    one of the two RL seeds alone
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { generateDataset, loadPolicy, openEngine, presets, train } from '../../src/index';
import type { Policy, RunConfig } from '../../src/index';
import type { Item } from '../../src/tom/item';
import { modelFiles } from '../model-files';
import { readPublishedItems } from '../published-items';
import { keepMetrics } from './kept-metrics';
import { readHitom } from './lines';
import { complete, countsOf, meanOf, OFFSET, outcomesOf, SUITE_SEED, type Measurement } from './measure';

const LINES = 'docs/experiments/hitom.jsonl';
/** The RL seeds of start s are 100 s + 1 and 100 s + 2. */
const SEEDS = [101, 102];
const OWN_ITEMS = 300;

const { values } = parseArgs({
  options: {
    published: { type: 'string', default: '' },
    model: { type: 'string', default: 'public/models/hitom-mini' },
    seed: { type: 'string' },
  },
});
const found = await readPublishedItems(values.published.split(',').filter((file) => file !== ''));
const published = found.map(({ item }) => item);
const wanted = values.seed === undefined ? SEEDS : [Number(values.seed)];
const made = readHitom(existsSync(LINES) ? readFileSync(LINES, 'utf8') : '').map(({ config }) => config.seed);
for (const seed of wanted.filter((candidate) => !made.includes(candidate))) {
  const line = await makeRun(seed);
  appendFileSync(LINES, `${JSON.stringify(line)}\n`);
  console.log(`${line.id}: ${line.seconds.all.toFixed(0)} s`);
}

async function makeRun(seed: number) {
  const config: RunConfig = {
    ...presets['hitom-mini'],
    preset: 'experiment',
    model: { kind: 'files', name: 'hitom-mini' },
    seed,
    evaluation: { every: 100_000, items: 1, seed: 7, patience: 0 },
    checkpointEvery: 100_000,
  };
  const engine = await openEngine({ backend: 'wasm' });
  const policy = await loadPolicy(engine, { files: await modelFiles(values.model) });
  const started = performance.now();
  const before = await measure(policy, config);
  const steps: Record<string, number[]> = {};
  const begun = performance.now();
  for await (const event of train(engine, policy, config)) {
    if (event.type === 'failed') throw new Error(`${event.error.code}: ${event.error.message}`);
    if (event.type !== 'step') continue;
    keepMetrics(steps, event.record);
    if (event.record.step % 10 === 0) {
      const { step, reward, accuracy, ...rest } = event.record;
      console.log(
        `seed ${seed} step ${step} reward ${reward.toFixed(3)} accuracy ${accuracy.toFixed(3)} length ${rest['completions/mean_length'].toFixed(1)}`,
      );
    }
  }
  const training = (performance.now() - begun) / 1000;
  const after = await measure(policy, config);
  policy.dispose();
  engine.dispose();
  return {
    id: `hitom-mini-s1/tom-rl/rl${seed}`,
    config,
    commit: execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim(),
    date: new Date().toISOString(),
    machine: { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version, backend: 'wasm' },
    seconds: { pretraining: null, training, all: (performance.now() - started) / 1000 },
    forecast: null,
    before,
    looks: [],
    after,
    steps,
    reworded: found.map(({ reworded }) => Number(reworded)).join(''),
  };
}

/** Greedy and sampled on the published items; greedy on stories of our own, as trained on, longer, and of order 4. */
async function measure(policy: Policy, { rollout, reward }: RunConfig): Promise<Measurement> {
  const ask = (items: readonly Item[], temperature: number) =>
    complete(policy, items, rollout.maxNewTokens, temperature, reward);
  const sampled = await ask(published, rollout.temperature);
  const others: Measurement['others'] = {};
  for (const orders of [[0, 1, 2, 3], [4]]) {
    const name = orders.length === 1 ? 'hitom-short, order 4' : 'hitom-short';
    others[name] = countsOf(await ask(ownItems(orders), 0));
  }
  return {
    greedy: outcomesOf(await ask(published, 0)),
    sampled: {
      correct: outcomesOf(sampled).correct,
      meanThinkLength: meanOf(sampled.map(({ thinkTokens }) => thinkTokens)),
    },
    others,
  };
}

function ownItems(orders: number[]): Item[] {
  return generateDataset({
    source: 'hitom-short',
    orders,
    dropShortcutRight: 0,
    reentry: false,
    count: OWN_ITEMS,
    seed: SUITE_SEED,
    offset: OFFSET,
  });
}
