/**
 * Runs a preset from several seeds in Node and reports what each gave, won or lost: one JSON line per run and a
 * Markdown table at the end, the source of docs/experiments/history.md.
 *
 *   node scripts/run.mjs scripts/collapse-runs.ts --preset micro-collapse --seeds 1,2,3 [--model folder] [--out file]
 *     [--reports folder]    also writes the report of each run there, as JSON
 *     [--with 'algorithm.gamma=0.95&reward.preset=answer-only']    what differs from the preset, as in a link
 *     [--algorithms grpo,rloo]    each seed once with each of these, as its paper has it
 */
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import {
  decodeLink,
  loadPolicy,
  openEngine,
  train,
  type BackendName,
  type EvalReport,
  type RunConfig,
  type Verdict,
} from '../src/index';
import { algorithms } from '../src/run/algorithm';
import type { AlgorithmName } from '../src/run/config';
import { emptyHistory, historyAfter, type History } from '../src/run/history';
import { summarise } from '../src/run/summary';
import { modelFiles } from './model-files';

const { values } = parseArgs({
  options: {
    preset: { type: 'string', default: 'micro-collapse' },
    seeds: { type: 'string', default: '1,2,3' },
    backend: { type: 'string', default: 'wasm' },
    with: { type: 'string', default: '' },
    model: { type: 'string' },
    algorithms: { type: 'string' },
    out: { type: 'string' },
    reports: { type: 'string' },
  },
});

interface RunResult {
  preset: string;
  /** What differs from it, as in a link. */
  with: string;
  model: string;
  seed: number;
  backend: string;
  steps: number;
  seconds: number;
  before: EvalReport;
  after: EvalReport;
  verdict: Verdict | undefined;
}

/** Every algorithm asked for, from every seed; null is the preset's own. */
function arms(): [AlgorithmName | null, number][] {
  const seeds = values.seeds.split(',').map(Number);
  const names = values.algorithms?.split(',') ?? [null];
  for (const name of names) {
    if (name !== null && !(name in algorithms)) {
      throw new Error(`--algorithms names ${name}; it takes ${Object.keys(algorithms).join(', ')}.`);
    }
  }
  return (names as (AlgorithmName | null)[]).flatMap((name) =>
    seeds.map((seed): [AlgorithmName | null, number] => [name, seed]),
  );
}

async function runOnce(config: RunConfig, folder: string, backend: BackendName): Promise<RunResult> {
  const engine = await openEngine({ backend });
  const policy = await loadPolicy(engine, { files: await modelFiles(folder) });
  const started = performance.now();
  let history = emptyHistory;
  for await (const event of train(engine, policy, config)) {
    history = historyAfter(history, event);
    if (event.type === 'eval') {
      const { step, overall, meanLength, traceValidity } = event.report;
      console.log(
        `seed ${config.seed} step ${step}: accuracy ${overall.accuracy.toFixed(3)}, length ${meanLength.toFixed(1)}, validity ${traceValidity.toFixed(2)}`,
      );
    }
    if (event.type === 'alert') console.log(`  ${event.alert.code}: ${event.alert.cause}`);
    if (event.type === 'failed') throw new Error(`${event.error.code}: ${event.error.message}`);
  }
  const seconds = (performance.now() - started) / 1000;
  policy.dispose();
  engine.dispose();
  if (values.reports !== undefined) await keepReport(values.reports, config, backend, history);
  const { preset, seed, steps, algorithm } = config;
  const { evals } = history;
  return {
    preset,
    with: values.algorithms === undefined ? values.with : `${algorithm.name} ${values.with}`.trim(),
    model: folder,
    seed,
    backend,
    steps,
    seconds,
    before: evals[0].report,
    after: evals[evals.length - 1].report,
    verdict: evals[evals.length - 1].verdict,
  };
}

/** Writes the report, and says what share of the steps' time each phase took. */
async function keepReport(
  folder: string,
  config: RunConfig,
  backend: BackendName,
  history: History,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const { preset, algorithm, seed } = config;
  const name = [preset, ...(values.algorithms === undefined ? [] : [algorithm.name]), `seed-${seed}`].join(
    '-',
  );
  const report = { config, machine: { backend, node: process.version }, ...history };
  await writeFile(`${folder}/${name}.json`, `${JSON.stringify(report)}\n`);
  const summary = summarise(history);
  if (summary === null) return;
  const shares = Object.entries(summary.timeShares).map(([phase, share]) => `${phase} ${percent(share)} %`);
  console.log(
    `time: ${shares.join(', ')}; of the update ${percent(summary.referenceShare)} % for the reference`,
  );
}

const percent = (value: number): string => (100 * value).toFixed(0);

function tableRow({ preset, with: differing, seed, seconds, before, after, verdict }: RunResult): string {
  const pair = (read: (report: EvalReport) => number, digits: (value: number) => string): string =>
    `${digits(read(before))} → ${digits(read(after))}`;
  const cells = [
    `${preset} ${differing}`.trim(),
    String(seed),
    pair(
      (report) => report.meanLength,
      (value) => value.toFixed(1),
    ),
    pair((report) => report.overall.accuracy, percent),
    pair((report) => report.shortcutRight.accuracy, percent),
    pair((report) => report.shortcutWrong.accuracy, percent),
    pair((report) => report.heldOut['order 4']?.accuracy ?? NaN, percent),
    pair(
      (report) => report.traceValidity,
      (value) => value.toFixed(2),
    ),
    verdict?.ending ?? 'none',
    seconds.toFixed(0),
  ];
  return `| ${cells.join(' | ')} |`;
}

if (values.backend === 'webgpu') await import('../tests/fixtures/node-webgpu');
const results: RunResult[] = [];
for (const [algorithm, seed] of arms()) {
  const { config: decoded, ignored } = await decodeLink(
    `#preset=${values.preset}&${values.with}&seed=${seed}`,
  );
  if (ignored.length > 0) throw new Error(`--with names ${ignored.join(', ')}, which no configuration has.`);
  const config = algorithm === null ? decoded : { ...decoded, algorithm: algorithms[algorithm] };
  const name = config.model.kind === 'embedded' ? config.model.name : 'none';
  const result = await runOnce(
    config,
    values.model ?? `public/models/${name}`,
    values.backend as BackendName,
  );
  results.push(result);
  if (values.out !== undefined) await appendFile(values.out, `${JSON.stringify(result)}\n`);
}
console.log(
  '| preset | seed | length | accuracy % | shortcut right % | shortcut wrong % | order 4 % | validity | verdict | s |\n|---|---|---|---|---|---|---|---|---|---|',
);
for (const result of results) console.log(tableRow(result));
