/**
 * Turns a finished run into an adapter that ships with the page, with its card:
 *
 *     npm run marble -- train start-135m --out start     # --model <folder or GGUF file> avoids the download
 *     npm run ship:adapter -- start rooms-135m
 *
 * Writes `public/adapters/rooms-135m`: PEFT's two files, with weights in bf16, and README.md, whose numbers come from
 * the run.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runAt } from '../src/command/asked-run';
import { modelCard } from '../src/export/model-card';
import { savedWeights } from '../src/model/files/export';
import { presetOf } from '../src/run/config/presets';
import { shippedAdapters } from '../src/run/config/saved-adapter';
import { warmStartOf } from '../src/run/config/warm-start';
import { summarise } from '../src/run/record/summary';
import { sameConfig } from '../src/run/config/fields';
import { encodeLink } from '../src/share/settings-link';
import { modelName } from '../src/share/name';
import type { RunFile } from '../src/share/run-file';

/** Maximum size of the weights. */
const MOST_BYTES = 6e6;

/**
 * The files of a finished run's adapter.
 *
 * @throws Error if the run is incomplete, has trained no adapter, or its adapter is too large
 */
export async function shippedFiles(run: RunFile, name: string): Promise<Record<string, Blob>> {
  const { history, checkpoint } = run;
  const { config, status, step } = history.record;
  if (checkpoint === null || status !== 'done' || checkpoint.step !== step)
    throw new Error(`The run is at step ${step} of ${config.steps}, and ${status}.`);
  if (config.training.mode === 'full') throw new Error('The run trains all weights, so it has no adapter.');
  const saved = savedWeights(checkpoint.policy, 'BF16');
  const { size } = saved['adapter_model.safetensors'];
  if (size > MOST_BYTES) throw new Error(`The adapter has ${size} bytes; at most ${MOST_BYTES} ship.`);
  const peftConfig = JSON.parse(await saved['adapter_config.json'].text()) as object;
  const base = config.model.kind === 'hub' ? config.model.repository.split(':')[0] : null;
  return {
    ...saved,
    'adapter_config.json': new Blob([
      JSON.stringify({ ...peftConfig, base_model_name_or_path: base }, null, 2),
    ]),
    'README.md': new Blob([await cardOf(run, name)]),
  };
}

async function cardOf({ history }: RunFile, name: string): Promise<string> {
  const { config, step } = history.record;
  const { model, data, seed, optimizer } = config;
  const card = await modelCard(config, step, summarise(history));
  const preset = presetOf(config);
  const runName = preset && sameConfig(config, preset) ? config.preset : `'${await encodeLink(config)}'`;
  const bits = model.kind === 'hub' ? /\bQ(\d)_/.exec(model.repository)?.[1] : undefined;
  const warm = warmStartOf(config);
  const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;
  const { overall } = history.evals[history.evals.length - 1].report;
  const rows = [
    ['base', `${modelName(model)}${bits === undefined ? '' : `; **its weights have ${bits} bits**, and on others of the same model the adapter was not tried`}`],
    ['data', `${data.source} stories of orders ${data.orders.join(', ')}${data.rho === undefined ? '' : `, ${percent(data.rho)} of them easy (the shortcut is right)`}; no data of others`],
    ...(warm === null ? [] : [
      ['warm start', `${warm.updates} updates of ${warm.examples} gold traces: ${percent(warm.mix.full)} full, ${percent(warm.mix.short)} short, ${percent(warm.mix.direct)} direct; AdamW at a peak of ${warm.learningRate}`],
    ]),
    ...(step > (warm?.updates ?? 0) ? [['rewards', `${step - (warm?.updates ?? 0)} steps at a peak of ${optimizer.learningRate}`]] : []),
    ['seed', `${seed}`],
    ['scores', `above, on ${overall.count} questions; before the weights were rounded to bf16`],
    ['made by', `\`npm run marble -- train ${runName} --out start\`, then \`npm run ship:adapter -- start ${name}\``],
  ]; // prettier-ignore
  return [
    card
      .replace('---\n', '---\nlicense: apache-2.0\n')
      .replace(/^# .*$/m, `# Marble ${name}`)
      .trimEnd(),
    '',
    '| | |',
    '|---|---|',
    ...rows.map(([what, text]) => `| ${what} | ${text} |`),
    '',
  ].join('\n');
}

async function main([folder, name = shippedAdapters[0]]: readonly string[]): Promise<void> {
  if (!(shippedAdapters as readonly string[]).includes(name))
    throw new Error(`There is no adapter ${name}; it must be one of ${shippedAdapters.join(', ')}.`);
  const run = await runAt(folder);
  if (run === null) throw new Error(`There is no run in ${folder}.`);
  const out = join(import.meta.dirname, '..', 'public', 'adapters', name);
  mkdirSync(out, { recursive: true });
  for (const [path, blob] of Object.entries(await shippedFiles(run, name)))
    writeFileSync(join(out, path), new Uint8Array(await blob.arrayBuffer()));
  console.log(`Written: ${out}`);
}

if (process.argv[1]?.endsWith('ship-adapter.ts')) await main(process.argv.slice(2));
