/**
 * H7 of docs/study-2.md: `hitom-mini` trained by ToM-RL's recipe and measured on published items, which enter no training and
 * whose files are others'. Makes each RL seed that has no line in docs/study-2/hitom.jsonl yet; a line holds outcomes, and
 * nothing of the items themselves.
 *
 *   npm run experiments:published -- --published Hi-ToM_data.json,ToM_train_HiEx_hint.parquet [--seed 101]
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { generateDataset, loadPolicy, openEngine, presets, train, type Policy } from '../../src/index';
import type { DataSpec, Item } from '../../src/tom/item';
import { toOutcomeTable } from '../../src/run/verdict/outcome-table';
import { modelFiles } from '../pretrain/model-files';
import { HITOM_LINES, readHiTomLines, type HiTomLine, type HiTomMeasurement } from './hitom-lines';
import { countsOf, OFFSET, outcomesOf, SUITE_SEED } from './measure';
import { readPublishedItems } from './published-items';

const SEEDS = [101, 102];

const { values } = parseArgs({
  options: { published: { type: 'string', default: '' }, seed: { type: 'string' } },
});
const published = await readPublishedItems(values.published.split(',').filter(Boolean));
const made = readHiTomLines().map(({ seed }) => seed);
const wanted = values.seed === undefined ? SEEDS : [Number(values.seed)];
for (const seed of wanted.filter((candidate) => !made.includes(candidate))) {
  const line = await makeRun(seed);
  appendFileSync(HITOM_LINES, `${JSON.stringify(line)}\n`);
  console.log(`${seed}: ${line.seconds.toFixed(0)} s`);
}

async function makeRun(seed: number): Promise<HiTomLine> {
  const begun = performance.now();
  const preset = presets['hitom-mini'];
  // The runs are measured here.
  const config = {
    ...preset,
    seed,
    evaluation: { ...preset.evaluation, every: 100_000, items: 1, finalItems: undefined },
  };
  const engine = await openEngine({ backend: 'wasm' });
  const policy = await loadPolicy(engine, { files: await modelFiles('public/models/hitom-mini') });
  const before = await measure(policy);
  const steps: Record<'reward' | 'think/mean_length', number[]> = { reward: [], 'think/mean_length': [] };
  for await (const event of train(engine, policy, config)) {
    if (event.type === 'failed') throw new Error(`${event.error.code}: ${event.error.message}`);
    if (event.type !== 'step') continue;
    for (const [name, column] of Object.entries(steps))
      column.push(Number(event.record[name as keyof typeof steps].toPrecision(6)));
  }
  const after = await measure(policy);
  policy.dispose();
  engine.dispose();
  return {
    seed,
    config,
    commit: execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim(),
    date: new Date().toISOString(),
    seconds: (performance.now() - begun) / 1000,
    before,
    after,
    steps,
  };
}

async function measure(policy: Policy): Promise<HiTomMeasurement> {
  const { rollout, reward, data } = presets['hitom-mini'];
  const { maxNewTokens } = rollout;
  const greedy = async (items: readonly Item[]) =>
    outcomesOf(policy, items, { maxNewTokens, temperature: 0, reward });
  const own = (change: Partial<DataSpec>, count: number, set: number): Item[] =>
    generateDataset({ ...data, ...change, count, seed: SUITE_SEED + set, offset: OFFSET });
  return {
    published: toOutcomeTable(await greedy(published)),
    benchmark: toOutcomeTable(await greedy(own({ orders: [1, 2, 3] }, 500, 0))),
    hard: toOutcomeTable(await greedy(own({ orders: [1, 2, 3], dropShortcutRight: 1 }, 500, 2))),
    'order 4': countsOf(await greedy(own({ orders: [4] }, 300, 0))),
  };
}
