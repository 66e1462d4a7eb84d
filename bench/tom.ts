/** The text rooms: stories generated with questions and traces, stories solved, files imported, completions scored. */
import { score } from '../src/reward/score';
import { generateDataset, generatorNames } from '../src/tom/worlds/generate';
import { importDataset } from '../src/tom/import/import-dataset';
import { solve } from '../src/tom/beliefs/solve';
import { measure, report, type Bench } from './measure';

const STORIES = 5000;
const IMPORT_BYTES = 20 * 1024 * 1024;

const draw = (source: string, orders: readonly number[], count: number): ReturnType<typeof generateDataset> =>
  generateDataset({ source, orders: [...orders], dropShortcutRight: 0, reentry: false, count, seed: 1 });

export async function benchTexts(bench: Bench): Promise<void> {
  const print = (op: string, figure: Record<string, unknown>): void =>
    report(bench, 'cpu', { op, ...figure });
  const stories = bench.quick ? 500 : STORIES;

  for (const { name, orders } of generatorNames()) {
    print('generate', {
      source: name,
      stories,
      ...(await measure(bench, () => Promise.resolve(draw(name, orders, stories)))),
    });
  }

  const solved = draw('hitom', [0, 1, 2, 3, 4], 1000);
  print('solve', {
    source: 'hitom',
    stories: 1000,
    ...(await measure(bench, () => Promise.resolve(solved.map((item) => solve(item.story, item.question))))),
  });

  for (const { name } of generatorNames()) {
    const items = draw(name, [1, 2], 64);
    const traces = (): Promise<unknown> =>
      Promise.resolve(items.map((item) => score(item.traces!.full!, item, { preset: 'faithful' })));
    print('score', { source: name, completions: 64, preset: 'faithful', ...(await measure(bench, traces)) });
  }

  const lines = draw('hitom', [0, 1, 2, 3, 4], 12_000).map(({ story, question, answer }) =>
    JSON.stringify({ story, question, answer }),
  );
  const wide = draw('tomi', [0, 1, 2], 40_000).map(({ story, question, answer }) =>
    JSON.stringify({ story, question, answer, filler: '-'.repeat(200) }),
  );
  for (const [source, rows] of [
    ['hitom', lines],
    ['tomi', wide],
  ] as const) {
    let bytes = 0;
    const kept = rows.filter((line) => (bytes += line.length + 1) <= IMPORT_BYTES);
    const file = new Blob([kept.join('\n')]);
    print('import', {
      format: 'jsonl',
      source,
      bytes: file.size,
      rows: kept.length,
      ...(await measure(bench, () => importDataset(file))),
    });
  }
}
