import { describe, expect, it } from 'vitest';
import { openItems } from '../../src/rl/data';
import { importDataset } from '../../src/tom/import/import-dataset';
import { evaluate } from '../../src/rl/evaluate/evaluate';
import type { Item } from '../../src/tom/item';
import { itemsOf } from '../tom/items';
import { smallConfig, warmTable } from './runs';

const drawn = (source: string, seed: number, count = 60): Item[] =>
  itemsOf(source, count, seed, { orders: [0, 1, 2] });

/** Items as an importer returns them: text and label, no world. */
const bare = (items: readonly Item[]): Item[] =>
  items.map((item) => ({ ...item, world: undefined, traces: undefined, shortcut: undefined }));

const base = smallConfig();
const data = { ...base.data, source: 'imported:made', orders: [1, 2] };
const config = { ...base, data, evaluation: { ...base.evaluation, items: 20 } };

describe('imported items in a run', () => {
  it('get worlds, traces and shortcuts if the solver agrees with their labels', () => {
    const source = openItems(config, { training: bare(drawn('hitom', 1)) });
    for (const item of [...source.training(0, 100), ...source.suite.items]) {
      expect(item.traces?.full).toBeDefined();
      expect(item.shortcut).toBeDefined();
    }
    expect(Object.keys(source.suite.heldOut)).toEqual(['order 0']);
  });

  it('are dropped by dropShortcutRight from training, not from evaluation', () => {
    const training = bare(drawn('hitom', 1, 300));
    const debiased = openItems({ ...config, data: { ...data, dropShortcutRight: 1 } }, { training });
    const isHit = ({ shortcut, answer }: Item): boolean => shortcut === answer;
    expect(debiased.training(0, 100).some(isHit)).toBe(false);
    expect(debiased.suite.items.some(isHit)).toBe(true);
  });

  it('are not in the evaluation if their story is in training under another name', async () => {
    const rows = bare(drawn('hitom', 1)).map(({ story, question, answer }) => ({ story, question, answer }));
    const file = new Blob([rows.map((row) => JSON.stringify(row)).join('\n')]);
    const [training, evaluation] = await Promise.all(
      ['mine', 'the test'].map(async (name) => (await importDataset(file, { name })).items),
    );
    const source = openItems(config, { training, evaluation });
    const seen = new Set(source.training(0, 200).map(({ story }) => story));
    expect(source.suite.tasks.length).toBeGreaterThan(10);
    expect(source.suite.tasks.filter(({ story }) => seen.has(story))).toEqual([]);
    const onlyTrained = evaluation.filter(({ story }) => seen.has(story));
    expect(() => openItems(config, { training, evaluation: onlyTrained })).toThrow(/trains on the stories/);
    // One telling is trained on, and the other one of the same story is asked for.
    const told = evaluation.map((item) => [
      item,
      { ...item, id: `${item.id} again`, story: `Once: ${item.story}` },
    ]);
    const { tasks } = openItems(config, { training, evaluation: told.flat() }).suite;
    expect(tasks.length).toBeGreaterThan(10);
    expect(tasks.filter(({ story }) => seen.has(story.replace('Once: ', '')))).toEqual([]);
  });

  it('without a story, as in GSM8K, each count as one story', async () => {
    const rows = Array.from({ length: 6 }, (_, index) =>
      JSON.stringify({ question: `How many are ${index % 5} and 1?`, answer: `#### ${(index % 5) + 1}` }),
    );
    const { items: training } = await importDataset(new Blob([rows.join('\n')]));
    const evaluated = {
      ...config,
      data: { ...data, orders: [0] },
      evaluation: { ...config.evaluation, items: 2 },
    };
    const source = openItems(evaluated, { training, evaluation: training });
    const trained = new Set(source.training(0, 60).map(({ question }) => question));
    const judged = [...source.suite.items, ...source.suite.tasks].map(({ question }) => question);
    expect(source.suite.items.length).toBeGreaterThan(0);
    expect(trained.size).toBeGreaterThanOrEqual(3);
    expect(judged.some((question) => trained.has(question))).toBe(false);
  });
});

describe('the tasks of an evaluation', () => {
  it('are generated on request, and imported ones replace those of their kind', () => {
    const evaluated = { ...base, evaluation: { ...base.evaluation, items: 8, taskItems: 5 } };
    const { suite } = openItems(evaluated, { evaluation: bare(drawn('tomi', 3)) });
    const names = [...new Set(suite.tasks.map(({ dataset }) => dataset))];
    const count = (name: string): number => suite.tasks.filter(({ dataset }) => dataset === name).length;
    expect(names.map((name) => [name, count(name)])).toEqual([
      ['hitom', 5],
      ['exploretom', 5],
      ['exploretom-infilled', 5],
      ['tomi', 8],
    ]);
  });

  it('contain the requested number of imported items, or as many as the run’s own set', () => {
    const evaluation = [...bare(drawn('tomi', 3, 90)), ...bare(drawn('exploretom', 3, 30))];
    const counts = (importedItems?: number): number[] => {
      const evaluated = {
        ...base.evaluation,
        items: 8,
        ...(importedItems === undefined ? {} : { importedItems }),
      };
      const { suite } = openItems({ ...base, evaluation: evaluated }, { evaluation });
      expect(suite.items).toHaveLength(8);
      return ['tomi', 'exploretom'].map(
        (name) => suite.tasks.filter(({ dataset }) => dataset === name).length,
      );
    };
    expect(counts()).toEqual([8, 8]);
    expect(counts(50)).toEqual([50, 30]);
    expect(counts(6000)).toEqual([90, 30]);
  });

  it('have separate rows, change no other metric, and are out of distribution', async () => {
    const policy = await warmTable();
    const { suite } = openItems(base);
    const extra = bare(drawn('swap', 9)).map((item) => ({ ...item, dataset: 'theirs' }));
    const without = await evaluate(policy, suite);
    const report = await evaluate(policy, { ...suite, tasks: extra });
    const row = (task: string, part: string) =>
      report.rows.find((each) => each.task === task && each.part === part)!;
    expect({ ...report, rows: [] }).toEqual({ ...without, rows: [] });
    expect(row('theirs', 'all')).toMatchObject({ inDistribution: false, accuracy: { count: 60 } });
    expect(row('swap', 'order 1')).toMatchObject({ inDistribution: true, accuracy: report.byOrder[1] });
    expect(row('swap', 'order 4')).toMatchObject({ inDistribution: false });
    expect(row('swap', 're-entry')).toMatchObject({ inDistribution: false });
  });
});
