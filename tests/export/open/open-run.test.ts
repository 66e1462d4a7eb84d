/** What comes back from a cluster: completions, adapters, and a folder of all of it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRun } from '../../../src/export/open/open-run';
import { renderPrompt } from '../../../src/rl/rollout';
import { openEngine, type Engine } from '../../../src/gpu/engine';
import { zipFiles } from '../../../src/model/files/model-zip';
import { loadPolicy } from '../../../src/model/load-policy';
import { openSource } from '../../../src/model/source/source';
import { readTokenizer } from '../../../src/model/tokenizer/tokenizer-files';
import type { Tokenizer } from '../../../src/model/tokenizer/tokenizer';
import { savedWeights } from '../../../src/model/files/export';
import { openItems } from '../../../src/rl/data';
import { score } from '../../../src/reward/score';
import type { RunConfig } from '../../../src/run/config/config';
import { presets } from '../../../src/run/config/presets';
import { encodeLink } from '../../../src/share/link';
import type { Item } from '../../../src/tom/item';
import { importDataset } from '../../../src/tom/import/import-dataset';
import { parquetFile } from '../../fixtures/parquet-file';
import { errorOf } from '../../model/refusal';
import { adapter } from '../adapter';
import { embeddedFiles } from '../model-folder';

const base = presets['ladder-25k'];
const config: RunConfig = {
  ...base,
  steps: 2,
  algorithm: { ...base.algorithm, resampleRounds: 0 },
  rollout: { ...base.rollout, promptsPerStep: 3, samplesPerPrompt: 2 },
  evaluation: { ...base.evaluation, items: 150, finalItems: 150, validationItems: 0 },
};
const startFiles = embeddedFiles('ladder-25k');
const text = (value: string): Blob => new Blob([value]);
const lines = (records: readonly object[]): Blob => text(records.map((each) => `${JSON.stringify(each)}\n`).join('')); // prettier-ignore

let tokenizer: Tokenizer;
let engine: Engine;
beforeAll(async () => {
  tokenizer = await readTokenizer(await openSource({ files: startFiles }));
  engine = await openEngine({ backend: 'wasm' });
});
afterAll(() => engine.dispose());

const full = (item: Item): string => item.traces?.full ?? Object.values(item.traces ?? {})[0];
const bare = (item: Item): string => `</think> <answer> ${item.answer} </answer>`;

interface Row {
  step: number;
  row: string;
  input: string;
  output: string;
  score: number;
}

const rowOf = (item: Item, step: number, row: string, output: string): Row => ({
  step,
  row,
  input: renderPrompt(item, tokenizer).text,
  output,
  score: score(output, item, config.reward).total,
});

/** A folder as an export's is after training: two steps that were sampled, and answers before and after. */
async function trainedFolder(run = config): Promise<Record<string, Blob>> {
  const source = openItems(run);
  const sampled = (step: number, first: number): Row[] =>
    source
      .training(first, 3)
      .flatMap((item, at) =>
        [full(item), bare(item)].map((output) => rowOf(item, step, `train ${first + at}`, output)),
      );
  const answers = (step: number, answer: (item: Item) => string): Row[] =>
    source.suite.items.map((item, index) => rowOf(item, step, `val ${index}`, answer(item)));
  return {
    'link.txt': text(`${await encodeLink(run)}\n`),
    'tokenizer/tokenizer.json': startFiles['tokenizer.json'],
    'tokenizer/tokenizer_config.json': startFiles['tokenizer_config.json'],
    'model/config.json': startFiles['config.json'],
    'model/model.safetensors': startFiles['model.safetensors'],
    'trained/checkpoint-1/trainer_state.json': text('{"log_history":[{"step":1,"reward":9}]}'),
    'trained/trainer_state.json': text(
      '{"log_history":[{"step":1,"reward":0.5,"kl":0.1},{"step":2,"reward":0.75}]}',
    ),
    'trained/rollouts/1-0.jsonl': lines(sampled(1, 0)),
    'trained/rollouts/2-0.jsonl': lines(sampled(2, 3)),
    'trained/evaluations/0.jsonl': lines(answers(0, full)),
    'trained/evaluations/2.jsonl': lines(answers(2, bare)),
  };
}

async function rolloutsOf(run: Awaited<ReturnType<typeof openRun>>) {
  const batches = [];
  for await (const batch of run.rollouts) batches.push([...batch]);
  return batches;
}

const withFile = async (name: string, change: (rows: Row[]) => object[]): Promise<Record<string, Blob>> => {
  const folder = await trainedFolder();
  const rows = (await folder[name].text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
  return { ...folder, [name]: lines(change(rows)) };
};

async function refused(files: File | Record<string, Blob>, ...named: string[]): Promise<void> {
  const { message, nextStep } = (await errorOf(() => openRun(files, { settings: config })))!;
  for (const words of named) expect(`${message} ${nextStep}`).toContain(words);
}

describe('a folder that comes back from a cluster', () => {
  it('is a run with the log’s curves, the last state’s alone, and Marble’s metrics of its completions beside them', async () => {
    const { history } = await openRun(await trainedFolder());
    expect(history.record).toMatchObject({ config, status: 'done', step: 2 });
    expect(history.steps.map(({ step, reward, kl }) => [step, reward, kl])).toEqual([[1, 0.5, 0.1], [2, 0.75, undefined]]); // prettier-ignore
    expect(history.steps[0]).toMatchObject({
      accuracy: 1,
      'think/empty_fraction': 0.5,
      'trace/validity': 0.5,
    });
    expect(history.record.notes).toContain('312 of 312 completions earn what they earned there');
  });

  it('has its completions scored by Marble’s own reward, as rollouts of their items', async () => {
    const [first, second] = await rolloutsOf(await openRun(await trainedFolder()));
    expect(first.map(({ group, sample }) => [group, sample])).toEqual([[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 1]]); // prettier-ignore
    expect(second).toHaveLength(6);
    expect(first[0].reward.trace).toMatchObject({ validity: 1 });
    expect(first[0].reward.correct).toBe(true);
    const item = openItems(config).training(0, 1)[0];
    expect(first[0]).toMatchObject({ itemId: item.id, goldAnswer: item.answer, step: 1 });
    // The answer alone, and the token that ended it.
    expect(first[1].tokens).toBe(tokenizer.encode(bare(item)).length + 1);
    expect(first[1].finished).toBe(true);
  });

  it('is judged by its answers before and after: who keeps the answers and stops thinking has fallen silent', async () => {
    const { history } = await openRun(await trainedFolder());
    expect(history.evals.map(({ report }) => [report.step, report.overall.accuracy, report.overall.count])).toEqual([[0, 1, 150], [2, 1, 150]]); // prettier-ignore
    expect(history.evals[0].verdict).toBeUndefined();
    expect(history.evals[1].verdict).toMatchObject({
      ...{ ending: 'stops thinking', provisional: false, step: 2 },
      conditions: { silent: true },
    });
  });

  it('says how many completions earn something else than they earned there', async () => {
    const folder = await withFile('trained/rollouts/1-0.jsonl', ([first, ...rows]) => [{ ...first, score: first.score + 0.01 }, ...rows]); // prettier-ignore
    const { history } = await openRun(folder);
    expect(history.record.notes).toContain('311 of 312 completions');
  });

  it('is read from a zip as well, without what Marble has no use for', async () => {
    const { history } = await openRun(new File([await zipFiles(await trainedFolder())], 'marble.zip'));
    expect(history.steps).toHaveLength(2);
    expect(history.evals).toHaveLength(2);
  });

  it('reads TRL’s own parquet of completions', async () => {
    const { 'trained/rollouts/1-0.jsonl': rollouts, ...folder } = await trainedFolder();
    const rows = (await rollouts.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Row);
    const table = rows.map(({ step, row, input, output }) => ({
      step,
      row,
      prompt: input,
      completion: output,
    }));
    const parquet = parquetFile(table);
    const name = 'trained/completions/completions_00001.parquet';
    const [first] = await rolloutsOf(await openRun({ ...folder, [name]: new Blob([parquet]) }));
    expect(first).toHaveLength(6);
    await refused({ ...folder, [name]: new Blob([parquet.slice(0, -9)]) }, name, 'expected: the whole file');
  });

  it('keeps its curves where its completions cannot be scored, and says why', async () => {
    const { 'link.txt': link, ...unnamed } = await trainedFolder();
    const { history } = await openRun(unnamed);
    expect(history.steps).toHaveLength(2);
    expect(history.record.notes).toContain('no link.txt');
    const { 'tokenizer/tokenizer.json': tokens, ...without } = await trainedFolder();
    expect((await openRun(without)).history.record.notes).toContain('no tokenizer.json');
    expect(link.size + tokens.size).toBeGreaterThan(0);
  });

  it('takes the items of an imported data set from whoever has them', async () => {
    const stories = Array.from({ length: 30 }, (_, at) => ({ story: `ann entered bag . ${'bob '.repeat(at)}`, question: `where is key ?`, answer: 'bag', order: 0 })); // prettier-ignore
    const { items } = await importDataset(text(JSON.stringify(stories)));
    const own: RunConfig = { ...config, data: { ...config.data, source: 'imported:mine', orders: [0] }, evaluation: { ...config.evaluation, items: 5, finalItems: 5 } }; // prettier-ignore
    const [item] = openItems(own, { training: items }).training(0, 1);
    const folder = { ...(await trainedFolder()), 'link.txt': text(await encodeLink(own)) };
    const rollouts = Object.fromEntries(Object.entries(folder).filter(([name]) => !/trained\/(?:rollouts|evaluations)/.test(name))); // prettier-ignore
    const files = { ...rollouts, '1.jsonl': lines([rowOf(item, 1, 'train 0', bare(item)), rowOf(item, 1, 'train 0', bare(item))]) }; // prettier-ignore
    expect((await openRun(files, { importedItems: () => Promise.resolve(null) })).history.record.notes).toContain('imported:mine is not at hand'); // prettier-ignore
    const run = await openRun(files, { importedItems: () => Promise.resolve({ training: items }) });
    expect((await rolloutsOf(run))[0]).toHaveLength(2);
  });

  it.each<[string, (row: Row) => object, string, string]>([
    ['row', (row: Row) => ({ ...row, row: 'train x' }), 'row 1: row is "train x"', '“train 17” or “val 3”'],
    ['output', (row: Row) => ({ ...row, output: 3 }), 'row 1: output is 3', 'text'],
    ['step', (row: Row) => ({ ...row, step: 1.5 }), 'row 1: step is 1.5', 'a whole number'],
    ['input', (row: Row) => ({ ...row, input: 'Dear diary' }), 'its prompt is not the question of row train 0', 'link.txt'], // prettier-ignore
    ['output', (row: Row) => ({ ...row, output: 'strange' }), 'cannot be tokenised', 'own tokenizer'],
  ])('is refused by file and row where %s does not hold what it should', async (_, change, ...named) => {
    const name = 'trained/rollouts/1-0.jsonl';
    await refused(await withFile(name, (rows) => rows.map(change)), name, ...named);
  });

  const parquet = parquetFile([{ step: 1, completion: 'so' }]);
  const cutOff = 'trained/completions_00001.parquet';

  it.each([5, parquet.length >> 1, parquet.length - 1])(
    'is refused by the file where a parquet file was cut off after %i bytes',
    async (bytes) => {
      const folder = { ...(await trainedFolder()), [cutOff]: new Blob([parquet.slice(0, bytes)]) };
      await refused(folder, cutOff, 'does not end in PAR1', 'expected: the whole file');
    },
  );

  it('is refused by its name where it was cut off, or nothing of it is part of a run', async () => {
    const whole = await trainedFolder();
    const archive = await zipFiles(whole);
    const half = new File([archive.slice(0, archive.size >> 1)], 'marble.zip');
    await refused(half, 'marble.zip: ', 'zip archive');
    await refused(new File(['marble-run 1'], 'mine.marble'), 'mine.marble: ', 'Choose');
    await refused({ 'a.bin': text('x'), 'b.bin': text('y') }, 'a.bin', 'trainer_state.json');
    await refused({}, 'No file of a run', 'trainer_state.json');
    await refused({ '1.jsonl': whole['trained/rollouts/1-0.jsonl'] }, '1.jsonl', 'link.txt');
  });
});

describe('a small model that was trained in full', () => {
  it('is a run whose weights give the model’s own logits; the start that the export holds is none', async () => {
    const whole = await trainedFolder();
    expect((await openRun(whole)).checkpoint).toBeNull();
    const policy = await loadPolicy(engine, { files: startFiles });
    const { parameters, layout } = await policy.state();
    const trained = savedWeights({ parameters: parameters.map((value, at) => value + 0.05 * Math.sin(at)), layout })['model.safetensors']; // prettier-ignore
    const { history, checkpoint } = await openRun({ ...whole, 'trained/model.safetensors': trained, 'trained/checkpoint-1/model.safetensors': startFiles['model.safetensors'] }); // prettier-ignore
    expect(history.record).toMatchObject({ config, checkpointStep: 2, step: 2 });
    const ids = [[3, 7, 11, 2, 5, 19]];
    const [before] = await policy.logits(ids);
    policy.restore(checkpoint!.policy);
    const itself = await loadPolicy(engine, { files: { ...startFiles, 'model.safetensors': trained } });
    const [[ours], [theirs]] = [await policy.logits(ids), await itself.logits(ids)];
    expect(ours).toEqual(theirs);
    expect(ours).not.toEqual(before);
    policy.dispose();
    itself.dispose();
  });

  it('of another model is refused by file, tensor and what was expected', async () => {
    const other = embeddedFiles('hitom-mini')['model.safetensors'];
    await refused({ ...(await trainedFolder()), 'trained/model.safetensors': other }, 'trained/model.safetensors: Tensor model.', 'has shape [', 'config.json asks for ['); // prettier-ignore
  });
});

/** Of some projections of ladder-25k. */
const some = { 'self_attn.q_proj': [32, 32], 'mlp.down_proj': [32, 80] } as const;

const hub: RunConfig = {
  ...config,
  model: { kind: 'hub', repository: 'owner/base', revision: 'a'.repeat(40) },
};

describe('an adapter that PEFT has trained', () => {
  it.each([
    { rank: 4, alpha: 6, useRslora: true },
    { rank: 2, alpha: 9, useRslora: false },
  ])('is a run whose weights give the adapter’s own logits (%o)', async (traits) => {
    const files = adapter(traits, some);
    const { history, checkpoint } = await openRun(
      { ...files, 'config.json': startFiles['config.json'] },
      { settings: config },
    );
    const { training } = history.record.config;
    if (training.mode !== 'lora' || checkpoint === null) throw new Error('it is an adapter');
    expect(history.record).toMatchObject({ status: 'done', checkpointStep: checkpoint.step });
    const policy = await loadPolicy(engine, { files: startFiles }, { lora: training });
    policy.restore(checkpoint.policy);
    const itself = await loadPolicy(engine, { files: startFiles }, { adapter: { files } });
    const ids = [[3, 7, 11, 2, 5, 19]];
    const [[ours], [theirs], [without]] = [await policy.logits(ids), await itself.logits(ids), await itself.logits(ids, { adapter: 'off' })]; // prettier-ignore
    const apart = (one: Float32Array, other: Float32Array): number => Math.max(...one.map((value, at) => Math.abs(value - other[at]))); // prettier-ignore
    expect(apart(ours, theirs)).toBeLessThan(1e-4);
    expect(apart(ours, without)).toBeGreaterThan(0.1);
    policy.dispose();
    itself.dispose();
  });

  it('in the folder of an exported run is that run’s, at the step that the log ends with', async () => {
    const run: RunConfig = { ...config, training: { mode: 'lora', rank: 4, alpha: 8 } };
    const folder = { ...(await trainedFolder(run)), ...prefixed('trained/', adapter({ rank: 4, alpha: 8, baseModel: '/somewhere/model' }, some)), ...prefixed('adapter/', adapter({ rank: 7, alpha: 1 }, some)) }; // prettier-ignore
    const { history, checkpoint } = await openRun(folder);
    expect(history.record.config).toEqual(run);
    expect(checkpoint?.step).toBe(2);
    expect(history.record.machine).not.toHaveProperty('steps');
    await refused({ ...folder, ...prefixed('trained/', adapter({ rank: 3, alpha: 8 }, some)) }, 'trained', 'r is 3', 'expected: 4'); // prettier-ignore
    await refused({ ...folder, ...prefixed('trained/', adapter({ rank: 4, alpha: 16 }, some)) }, 'scale is 4', 'expected: 2'); // prettier-ignore
    const whole = { ...folder, 'link.txt': text(await encodeLink(config)) };
    await refused(whole, 'peft_type', 'the exported run trains all weights');
  });

  it('takes the base’s config.json from where the model is, where it is not among the files', async () => {
    const asked: RunConfig[] = [];
    const modelSource = (run: RunConfig) => {
      asked.push(run);
      return Promise.resolve({ files: startFiles });
    };
    const files = adapter({ rank: 4, alpha: 8, baseModel: 'Owner/base' }, some);
    const { history, checkpoint } = await openRun(files, { settings: hub, modelSource });
    expect(asked).toEqual([hub]);
    // There is no log, so nobody knows in how many steps it was trained.
    expect(history.record.machine).toMatchObject({ program: 'PEFT', steps: 'unknown' });
    expect(checkpoint?.policy.layout?.adapter).toMatchObject({ baseModel: 'Owner/base' });
  });

  it('of another model is refused by file, field and what was expected', async () => {
    const about = { 'config.json': startFiles['config.json'] };
    const refusal = (files: Record<string, Blob>, settings?: RunConfig) =>
      openRun({ ...files }, { settings }).then(
        () => '',
        (error: unknown) => (error as Error).message,
      );
    const named = await refusal(
      { ...adapter({ rank: 4, alpha: 8, baseModel: 'other/model' }, some), ...about },
      hub,
    );
    for (const words of ['adapter_config.json', 'base_model_name_or_path is "other/model"', '"owner/base"']) expect(named).toContain(words); // prettier-ignore
    const wider = adapter({ rank: 4, alpha: 8 }, { 'self_attn.q_proj': [64, 64] });
    const shaped = await refusal({ ...wider, ...about }, config);
    for (const words of ['adapter_model.safetensors', 'layers.0.self_attn.q_proj.lora_A.weight', '[4, 64]', '[4, 32]']) expect(shaped).toContain(words); // prettier-ignore
    expect(await refusal({ ...adapter({ rank: 4, alpha: 8 }, some) }, config)).toContain(
      'config.json of the base',
    );
    expect(await refusal({ ...adapter({ rank: 4, alpha: 8 }, some), ...about })).toContain('link.txt');
    const { 'adapter_config.json': alone } = adapter({ rank: 4, alpha: 8 }, some);
    expect(await refusal({ 'adapter_config.json': alone }, config)).toContain('adapter_model.safetensors');
  });
});

function prefixed(folder: string, files: Record<string, Blob>): Record<string, Blob> {
  return Object.fromEntries(Object.entries(files).map(([name, blob]) => [folder + name, blob]));
}
