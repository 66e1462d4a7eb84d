import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rewardItem, reachTable, rewardProgram } from '../../../src/export/cluster/reward-program';
import { createRandom } from '../../../src/base/random';
import { isRight } from '../../../src/reward/official';
import { score } from '../../../src/reward/score';
import type { RewardConfig } from '../../../src/reward/types';
import { resolveAlgorithm } from '../../../src/objective/algorithm';
import { runConfigSchema } from '../../../src/run/config/config';
import { presets } from '../../../src/run/config/presets';
import { withLengthTerms } from '../../../src/rl/rollout';
import { importDataset } from '../../../src/tom/import/import-dataset';
import { numbersIn } from '../../../src/tom/text/numbers-in';
import { generateDataset, generatorNames } from '../../../src/tom/worlds/generate';
import type { Item, Scoring } from '../../../src/tom/item';
import { itemWorld } from '../../../src/tom/worlds/item-world';
import { showings } from '../../../src/tom/beliefs/simulate';
import { folderForAll } from '../../fixtures/folder';
import { itemsOf } from '../../tom/items';
import { drawCompletion } from './completions';
import { hasPython, runPython } from './python';
import { sampled } from '../../fixtures/sample';

const rewardPresets = runConfigSchema.entries.reward.entries.preset.options;
const perPreset = sampled(1000, 10_000);

const driver = `
import json, sys
import reward
asked = json.load(sys.stdin)
found = []
for item, completion, choice in asked["cases"]:
    it = reward.evidence_of(completion, asked["items"][item])
    trace = it["trace"] or {}
    rest = [it["correct"], it["format_holds"], trace.get("validity"), trace.get("coverage")]
    found += [[reward.total_of(it, settings), *rest] for settings in asked["settings"][choice]]
json.dump(found, sys.stdout)
`;

const numberDriver = `
import json, sys
import reward
json.dump([[max(-1e300, min(n, 1e300)) for n in reward._numbers_in(text)] for text in json.load(sys.stdin)], sys.stdout)
`;

const lengthDriver = `
import json, sys
import reward
asked = json.load(sys.stdin)
json.dump(reward.marble_reward(None, asked["completions"], asked["ids"], asked["items"]), sys.stdout)
`;

/** The item with an answer and a scoring rule of a data set. */
function scored(item: Item, index: number): Item {
  const rules: { scoring?: Scoring; answer: string }[] = [
    { answer: 'Yes', scoring: { rule: 'binary' } },
    { answer: 'no', scoring: { rule: 'binary' } },
    { answer: '1,234.5', scoring: { rule: 'number' } },
    { answer: 'in the box', scoring: { rule: 'classes', classes: ['box', 'red box', 'in the box', 'jar'] } },
    { answer: 'Ann, Bob', scoring: { rule: 'names', right: ['Ann', 'BOB'], wrong: ['Cyd'] } },
  ];
  return { ...item, world: undefined, traces: undefined, ...rules[index % rules.length] };
}

function allItems(): Item[] {
  const generated = generatorNames().flatMap(({ name }) => {
    const isSwap = name === 'swap';
    return itemsOf(name, isSwap ? 40 : 12, 5, { reentry: isSwap });
  });
  return [...generated, ...generated.slice(0, 20).map(scored)];
}

const folder = folderForAll('reward');

describe.skipIf(!hasPython)('reward.py', () => {
  it(`equals Marble’s reward for every preset, on ${perPreset} completions each`, () => {
    const items = allItems();
    const random = createRandom(11, 0x657870);
    const settings: RewardConfig[][] = [
      rewardPresets.map((preset) => ({ preset })),
      rewardPresets.map((preset) => ({ preset, minimumThinkWords: 12, targetThinkWords: 30 })),
    ];
    const cases = Array.from({ length: perPreset }, () => {
      const item = random.integer(items.length);
      return [item, drawCompletion(random, items[item], items), Number(random.integer(8) === 0)] as const;
    });
    writeFileSync(join(folder, 'reward.py'), rewardProgram(presets['ladder-25k']));
    const found = runPython(driver, folder, {
      items: items.map(rewardItem),
      settings: settings.map((configs) =>
        configs.map((config) => ({ minimumThinkWords: 0, targetThinkWords: 0, ...config })),
      ),
      cases,
    }) as unknown[][];

    let traced = 0;
    let different = 0;
    const totals = new Set<number>();
    const scored = cases.flatMap(([item, completion, choice]) =>
      settings[choice].map((config) => ({ item, completion, config })),
    );
    scored.forEach(({ item, completion, config }, index) => {
      const { total, correct, formatHolds, trace } = score(completion, items[item], config);
      const expected = [total, correct, formatHolds, trace?.validity ?? null, trace?.coverage ?? null];
      totals.add(total);
      if ((trace?.coverage ?? 0) > 0) traced += 1;
      if (expected.every((value, place) => value === found[index][place])) return;
      different += 1;
      if (different > 3) return;
      console.log(JSON.stringify({ id: items[item].id, completion, config, expected, python: found[index] }));
    });
    expect(found.length).toBe(perPreset * rewardPresets.length);
    expect(different).toBe(0);
    // The completions are diverse: many traces cover something, and there are many different rewards.
    expect(traced).toBeGreaterThan(scored.length / 5);
    expect(totals.size).toBeGreaterThan(180);
  }, 600_000);

  it('parses the same numbers in any text', () => {
    const random = createRandom(5);
    const marks = ['0', '1', '5', '25', '000', '.', ',', '-', '\u2212', '\u2013', '\u2011', '$', '€', '\\', '(', ')', ']', '}', '%', 'e', 'E+', ' ', 'x', 'é', '\n', '\u202f', '\u00a0', '\u2009', '１', '．', '－', '٣', '½', '²', '𝟛']; // prettier-ignore
    const texts = Array.from({ length: 20_000 }, () =>
      Array.from({ length: 1 + random.integer(9) }, () => random.choice(marks)).join(''),
    );
    writeFileSync(join(folder, 'reward.py'), rewardProgram(presets['ladder-25k']));
    const found = runPython(numberDriver, folder, texts) as number[][];
    // JSON has no infinity.
    const expected = texts.map((text) => numbersIn(text).map((number) => Math.max(-1e300, Math.min(number, 1e300)))); // prettier-ignore
    const different = texts.filter((_, index) => found[index].join() !== expected[index].join());
    expect(different.map((text) => [text, numbersIn(text)])).toEqual([]);
    expect(new Set(expected.flat()).size).toBeGreaterThan(100);
  });

  it('scores imported rows of all kinds of answers as Marble does', async () => {
    const story = { story: 'Ann counts pears.', question: 'How many does Ann count?' };
    const lines = [
      { ...story, answer: 42 },
      { ...story, answer: -1.5, order: null },
      { ...story, answer: true, choices: [true, 7, 'no'] },
    ];
    const math = { question: 'How much?', answer: 'Half.\n#### .5' };
    const files = [
      lines.map((line) => JSON.stringify(line)).join('\n'),
      'sep=;\nstory;question;answer;order;choices\nAnn left.;Where?;box;;"[""box"", 3]"\n',
      JSON.stringify(math),
    ];
    const imported = await Promise.all(files.map((file) => importDataset(new Blob([file]))));
    const items = imported.flatMap((each) => each.items);
    // A list of nobody: any text without a wrong name is right, and no text is not.
    items.push({ ...items[0], answer: 'nobody', scoring: { rule: 'names', right: [], wrong: ['1', '3', '4', '5', 'o'] } }); // prettier-ignore
    const numbers = ['42', '-42', '\u22121.5', '-15', '1.5', '3', '$.50', '5', '10-5', '\uff0e5'];
    const answers = [...numbers, 'True.', 'box', ''];
    const cases = items.flatMap((_, item) => answers.map((answer) => [item, `t </think> <answer>${answer}</answer>`, 0] as const)); // prettier-ignore
    writeFileSync(join(folder, 'reward.py'), rewardProgram(presets['ladder-25k']));
    const settings = rewardPresets.map((preset) => ({ preset, minimumThinkWords: 0, targetThinkWords: 0 }));
    const found = runPython(driver, folder, { items: items.map(rewardItem), settings: [settings], cases });
    const scores = cases.flatMap(([item, completion]) =>
      settings.map((config) => score(completion, items[item], config)),
    );
    expect((found as unknown[][]).map((each) => each.slice(0, 3))).toEqual(
      scores.map(({ total, correct, formatHolds }) => [total, correct, formatHolds]),
    );
    const right = items.map((item) => answers.filter((answer) => isRight(answer, item)));
    expect(right).toEqual([['42'], ['\u22121.5'], ['True.'], ['box'], ['$.50', '\uff0e5'], ['True.']]);
  });

  it('adds the length penalties for TRL', () => {
    const config = {
      ...presets['ladder-25k'],
      algorithm: { ...presets['ladder-25k'].algorithm, overlongBuffer: 16, lengthPenalty: 0.3 },
    };
    const items = generateDataset({ ...config.data, count: 4, seed: 2 });
    const random = createRandom(3);
    const rows = Array.from({ length: 60 }, (_, index) => {
      const item = items[index % items.length];
      const completion = drawCompletion(random, item, items);
      const length = 40 + random.integer(41);
      return { item, completion, ids: new Array<number>(length).fill(7) };
    });
    writeFileSync(join(folder, 'reward.py'), rewardProgram(config));
    const found = runPython(lengthDriver, folder, {
      completions: rows.map(({ completion }) => completion),
      ids: rows.map(({ ids }) => ids),
      items: rows.map(({ item }) => JSON.stringify(rewardItem(item))),
    });
    const { maxNewTokens } = config.rollout;
    const algorithm = resolveAlgorithm(config.algorithm);
    const expected = rows.map(({ item, completion, ids }) => {
      const reward = score(completion, item, config.reward);
      return withLengthTerms({ reward, response: ids }, maxNewTokens, algorithm).total;
    });
    expect(found).toEqual(expected);
    expect(new Set(expected).size).toBeGreaterThan(20);
  });
});

it('the exported table of showings agrees with the simulator for chains of up to three agents', () => {
  let chains = 0;
  const different: string[] = [];
  for (const { name } of generatorNames()) {
    for (const item of itemsOf(name, 12, 9)) {
      const behind = itemWorld(item);
      if (behind?.kind !== 'story') continue;
      const { rules, actions } = behind.world;
      const row = rewardItem(item);
      if (row.reader !== 'english') throw new Error(`${name} is not read as English`);
      const { agents } = row.world;
      const tuples = [[], ...agents.map((one) => [one])].flatMap((chain) => [chain, ...agents.map((next) => [...chain, next])]); // prettier-ignore
      const longer = tuples.flatMap((chain) => [chain, ...agents.map((next) => [...chain, next])]);
      for (const showing of showings(rules, actions)) {
        const table = reachTable(showing, agents);
        for (const chain of longer) {
          const indices = chain.map((agent) => agents.indexOf(agent));
          const reached =
            'chains' in table
              ? table.chains.some((one) => one.join() === indices.join() && one.length === indices.length)
              : indices.length === 0 ||
                (table.noticed.includes(indices[0]) &&
                  indices.slice(1).every((index) => table.seemed.includes(index)));
          if (reached !== showing.reaches(chain)) different.push(`${item.id}: ${chain.join(' ')}`);
          chains += 1;
        }
      }
    }
  }
  expect(different).toEqual([]);
  expect(chains).toBeGreaterThan(10_000);
});
