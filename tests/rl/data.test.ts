import { describe, expect, it } from 'vitest';
import type { RunConfig } from '../../src/run/config/config';
import { openItems, type ImportedItems } from '../../src/rl/data';
import { evaluate } from '../../src/rl/evaluate/evaluate';
import { suiteRows } from '../../src/reward/suites';
import { trainedOn } from '../../src/app/data/chosen-data';
import { presets } from '../../src/run/config/presets';
import type { DatasetRecord } from '../../src/store/records';
import { isEasy, isHard, type Item } from '../../src/tom/item';
import { importDataset } from '../../src/tom/import/import-dataset';
import { refusal } from '../model/refusal';
import { itemsOf } from '../tom/items';
import { smallConfig, warmTable } from './runs';

const base = smallConfig();
const swap = (changes: Partial<RunConfig['data']> = {}): RunConfig => ({
  ...base,
  data: { source: 'swap', orders: [1, 2, 3], dropShortcutRight: 0, reentry: false, rho: 0.81, ...changes },
  evaluation: { ...base.evaluation, items: 200 },
});
const withData = (changes: Partial<RunConfig['data']>): RunConfig => ({
  ...base,
  data: { ...base.data, ...changes },
});
const swapsIn = ({ story }: Item): number => story.split(' swap ').length - 1;
const ids = (items: readonly Item[]): string[] => items.map(({ id }) => id);

/** Two to four questions about each of some Hi-ToM stories, as an importer returns them. */
const imported = (count: number): Item[] =>
  itemsOf('hitom', count, 5, { orders: [1] }).flatMap((item, index) =>
    Array.from({ length: 2 + (index % 3) }, (_, question) => ({ ...item, id: `${item.id}-${question}` })),
  );
const importedData = { ...base.data, source: 'imported:made', orders: [1, 2] };
const onImported = { ...base, data: importedData, evaluation: { ...base.evaluation, items: 20 } };
const fixedPart = (trainItems: number): RunConfig => ({
  ...onImported,
  data: { ...importedData, trainItems },
});

const isHardBelief = (item: Item): boolean => item.order > 0 && isHard(item);
const hardIn = ({ items, hard }: { items: readonly Item[]; hard: readonly Item[] }): number =>
  [...items, ...hard].filter(isHardBelief).length;

const mixes = Object.entries(presets).filter(([name]) => name.startsWith('mix-'));

describe('hard questions', () => {
  it.each(Object.entries(presets))('are at least 60 of %s, or there is no shortcut', (_, preset) => {
    const source = openItems(preset);
    const { suite } = source;
    const none = openItems({ ...preset, evaluation: { ...preset.evaluation, hardItems: 0 } });
    const hasShortcut = suite.items.some((item) => isEasy(item) !== null);
    expect(hardIn(suite)).toBeGreaterThanOrEqual(hasShortcut ? 60 : 0);
    expect(suite.hard.every(isHardBelief)).toBe(true);
    expect(new Set(ids([...suite.items, ...suite.hard])).size).toBe(suite.items.length + suite.hard.length);
    // All other evaluation and training items keep their bits.
    expect(none.suite).toEqual({ ...suite, hard: [], isTrained: expect.any(Function) as unknown });
    expect(source.training(0, 3)).toEqual(none.training(0, 3));
  });

  it('are drawn only where the test has too few', () => {
    for (const ladder of ['ladder-12k', 'ladder-25k', 'ladder-398k'])
      // whose recordings ship
      expect(openItems(presets[ladder]).suite.hard).toEqual([]);
    const { suite } = openItems(presets['first-run-135m']);
    expect([suite.items.filter(isHardBelief).length, suite.hard.length]).toEqual([4, 56]);
    expect(openItems(withData({ orders: [0] })).suite.hard).toEqual([]);
    expect(openItems(swap({ rho: 1 })).suite.hard).toEqual([]);
  });

  it('of an imported set come from stories outside of training, and from training stories if requested', () => {
    const training = itemsOf('hitom', 900, 5, { orders: [1, 2] });
    const asked = onImported.evaluation;
    const made = (evaluation: RunConfig['evaluation']) =>
      openItems({ ...onImported, evaluation }, { training });
    const [left, none, more] = [asked, { ...asked, hardItems: 0 }, { ...asked, hardItems: 60 }].map(made);
    expect(left.training(0, 50)).toEqual(none.training(0, 50));
    expect(hardIn(left.suite)).toBeLessThan(30);
    expect(hardIn(more.suite)).toBe(60);
    expect(more.suite.items).toEqual(none.suite.items);
    const trained = new Set(more.training(0, 900).map(({ storyId }) => storyId));
    expect(more.suite.hard.some(({ storyId }) => trained.has(storyId))).toBe(false);
    // Training loses only the evaluated items, and keeps some.
    expect(none.suite.items.length + more.suite.hard.length + trained.size).toBe(900);
    expect(made({ ...asked, hardItems: 500 }).training(0, 1)).toHaveLength(1);
  });

  it('are asked for by name where data of one’s own is chosen', () => {
    const set = { id: 'mine', orders: [1, 2] } as DatasetRecord;
    expect(trainedOn(presets['tom-rl'], set).evaluation.hardItems).toBe(60);
  });
});

describe('the held-out sets of a run on swap stories', () => {
  it.each([
    [{ rho: 0.2 }, false, 9],
    [{ rho: 0.1 }, false, 9],
    [{ events: 3 }, true, 5],
    [{ events: 9 }, true, 12],
    [{ events: 12 }, true, null],
    [{ reentry: true }, true, 9],
  ])('with %o', (dials, hasOtherWorld, longer) => {
    const { heldOut } = openItems(swap(dials)).suite;
    expect('other world' in heldOut).toBe(hasOtherWorld);
    expect('re-entry' in heldOut).toBe(!('reentry' in dials));
    expect(longer === null ? null : swapsIn(heldOut['longer stories'][0])).toBe(longer);
    expect('longer stories' in heldOut).toBe(longer !== null);
  });

  it('of rooms stories has mostly hard questions, and easy and hard ones have rows', () => {
    const data = { source: 'rooms', orders: [1], dropShortcutRight: 0, reentry: false };
    const { suite } = openItems({ ...base, data, evaluation: { ...base.evaluation, items: 200 } });
    const rows = suiteRows(
      [...suite.items, ...Object.values(suite.heldOut).flat()].map((item) => ({ item, answer: item.answer })),
      suite.isTrained,
    );
    expect(rows.map(({ part }) => part).join()).toBe('all,easy,hard,order 1,order 2,other world');
    expect(rows.filter(({ inDistribution }) => inDistribution)).toMatchObject([{ part: 'order 1' }]);
    const shortcutLine = (part: string) => rows.find((row) => row.part === part)!.shortcutLine;
    expect(shortcutLine('order 1')).toBeGreaterThan(0.8);
    expect(shortcutLine('other world')).toBeLessThan(0.5);
    const frank = openItems({ ...base, data: { ...data, rho: 0.2 } }).suite.heldOut;
    expect(Object.keys(frank)).toEqual(['order 2']);
  });
});

describe('a fixed training set', () => {
  it('yields each item exactly once in every epoch, in a different order', () => {
    const endless = openItems(withData({}));
    const fixed = openItems(withData({ trainItems: 7 }));
    const set = ids(endless.training(0, 7)).sort();
    const epochs = [0, 1, 2].map((epoch) => ids(fixed.training(7 * epoch, 7)));
    for (const epoch of epochs) expect([...epoch].sort()).toEqual(set);
    expect(epochs[0]).not.toEqual(epochs[1]);
    expect(epochs[1]).not.toEqual(epochs[2]);
    // from any offset, also across epochs
    expect(ids(fixed.training(5, 16))).toEqual(epochs.flat().slice(5, 21));
  });

  it('is endless if the number is missing or 0', () => {
    expect(openItems(withData({ trainItems: 0 })).training(3, 9)).toEqual(openItems(base).training(3, 9));
    expect(new Set(ids(openItems(base).training(0, 500))).size).toBe(500);
  });

  it('may be a fixed part of an imported data set', () => {
    const items = imported(30);
    const source = openItems(fixedPart(10), { training: items });
    const epochs = [0, 1].map((epoch) => ids(source.training(10 * epoch, 10)));
    expect(new Set(epochs[0]).size).toBe(10);
    expect(new Set(epochs[1])).toEqual(new Set(epochs[0]));
    const whole = openItems(fixedPart(1000), { training: items });
    expect(whole.training(0, 40)).toEqual(openItems(onImported, { training: items }).training(0, 40));
  });
});

describe('the evaluation set', () => {
  const one = { seed: 7, evaluation: { ...base.evaluation, seed: 7, items: 60, taskItems: 40 } };
  const set = imported(60);
  it.each<[string, RunConfig, ImportedItems?]>([
    ...mixes,
    ['stories of one seed', { ...withData({ source: 'hitom' }), ...one }],
    ['an imported set', onImported, { training: set, evaluation: set }],
  ])('shares no story with training, nor does a task: %s', (_, config, given) => {
    const source = openItems(config, given);
    const { items, tasks } = source.suite;
    const storiesOf = (all: readonly Item[]) => all.flatMap(({ storyId, story }) => [storyId, story]);
    const trained = new Set(storiesOf(source.training(0, 900)));
    expect(storiesOf([...items, ...tasks]).filter((story) => trained.has(story))).toEqual([]);
    if (given !== undefined) return;
    const others = new Set(storiesOf(tasks));
    expect(storiesOf(items).filter((story) => others.has(story))).toEqual([]);
  });

  it('is the same for runs with and without de-biased questions', () => {
    const [debiased, plain] = [0.75, 0].map((dropShortcutRight) =>
      openItems(withData({ dropShortcutRight })),
    );
    expect({ ...debiased.suite, isTrained: null }).toEqual({ ...plain.suite, isTrained: null });
    expect(debiased.training(0, 20)).not.toEqual(plain.training(0, 20));
  });

  it('needs enough stories for the split, which leaves some for training', () => {
    const one = { ...onImported, evaluation: { ...base.evaluation, items: 1 } };
    const open = (training: Item[], dropShortcutRight = 0) =>
      openItems({ ...one, data: { ...importedData, dropShortcutRight } }, { training });
    const easy = imported(30).filter((item) => isEasy(item) === true);
    expect(() => open(imported(1))).toThrow(refusal('rl/no-items', 'and 0 for evaluation'));
    expect(() => open(easy, 1)).toThrow(refusal('rl/no-items', '0 can be used for training'));
    expect(open(imported(2)).training(0, 1)).toHaveLength(1);
  });
});

const drawn = (source: string, seed: number, count = 60): Item[] =>
  itemsOf(source, count, seed, { orders: [0, 1, 2] });

/** Items as an importer returns them: text and label, no world. */
const bare = (items: readonly Item[]): Item[] =>
  items.map((item) => ({ ...item, world: undefined, traces: undefined, shortcut: undefined }));

describe('imported items in a run', () => {
  it('get worlds if the solver agrees, and are dropped by dropShortcutRight from training alone', () => {
    const training = bare(drawn('hitom', 1, 300));
    const debiased = openItems(
      { ...onImported, data: { ...importedData, dropShortcutRight: 1 } },
      { training },
    );
    const isHit = ({ shortcut, answer }: Item): boolean => shortcut === answer;
    expect(debiased.training(0, 100).some(isHit)).toBe(false);
    expect(debiased.suite.items.some(isHit)).toBe(true);
    expect(debiased.training(0, 100).every(({ traces }) => traces?.full !== undefined)).toBe(true);
    expect(debiased.suite.heldOut).toEqual({ 'order 0': expect.objectContaining({ length: 5 }) as unknown });
  });

  it('are not in the evaluation if their story is in training under another name', async () => {
    const rows = bare(drawn('hitom', 1)).map(({ story, question, answer }) => ({ story, question, answer }));
    const file = new Blob([rows.map((row) => JSON.stringify(row)).join('\n')]);
    const [training, evaluation] = await Promise.all(
      ['mine', 'the test'].map(async (name) => (await importDataset(file, { name })).items),
    );
    const source = openItems(onImported, { training, evaluation });
    const seen = new Set(source.training(0, 200).map(({ story }) => story));
    expect(source.suite.tasks.length).toBeGreaterThan(10);
    expect(source.suite.tasks.filter(({ story }) => seen.has(story))).toEqual([]);
    const onlyTrained = evaluation.filter(({ story }) => seen.has(story));
    expect(() => openItems(onImported, { training, evaluation: onlyTrained })).toThrow(
      /trains on the stories/,
    );
    // One telling is trained on, and the other one of the same story is asked for.
    const told = evaluation.map((item) => [
      item,
      { ...item, id: `${item.id} again`, story: `Once: ${item.story}` },
    ]);
    const { tasks } = openItems(onImported, { training, evaluation: told.flat() }).suite;
    expect(tasks.length).toBeGreaterThan(10);
    expect(tasks.filter(({ story }) => seen.has(story.replace('Once: ', '')))).toEqual([]);
  });

  it('without a story, as in GSM8K, each count as one story', async () => {
    const rows = Array.from({ length: 6 }, (_, index) =>
      JSON.stringify({ question: `How many are ${index % 5} and 1?`, answer: `#### ${(index % 5) + 1}` }),
    );
    const { items: training } = await importDataset(new Blob([rows.join('\n')]));
    const evaluated = {
      ...onImported,
      data: { ...importedData, orders: [0] },
      evaluation: { ...onImported.evaluation, items: 2 },
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
  it('are generated on request, and imported ones, as many as requested or as the run’s own, replace their kind', () => {
    const evaluation = [...bare(drawn('tomi', 3, 90)), ...bare(drawn('exploretom', 3, 30))];
    const counts = (changes: Partial<RunConfig['evaluation']>): [string, number][] => {
      const asked = { ...base.evaluation, items: 8, taskItems: 5, ...changes };
      const { suite } = openItems({ ...base, evaluation: asked }, { evaluation });
      const names = suite.tasks.map(({ dataset }) => dataset);
      return [...new Set(names)].map((name) => [name, names.filter((one) => one === name).length]);
    };
    const generated = ['hitom', 'exploretom-infilled'].map((name) => [name, 5]);
    expect(counts({})).toEqual([...generated, ['tomi', 8], ['exploretom', 8]]);
    expect(counts({ importedItems: 50 })).toEqual([...generated, ['tomi', 50], ['exploretom', 30]]);
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
