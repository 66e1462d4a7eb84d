/**
 * What a model of Hi-ToM's words makes of its stories, order by order, as a Markdown table: greedy and sampled accuracy,
 * length and truth of the greedy traces, and the line of the shortcut that tracks no belief.
 *
 *   node scripts/run.mjs scripts/hitom-table.ts [--model public/models/hitom-mini] [--items 200]
 *     [--published file,file]    Hi-ToM's own or ToM-RL's files as well: the stories of one chapter whose prompts are short
 *     [--seed 7]    of the generated items, which are the ones that runs are evaluated on
 */
import { parseArgs } from 'node:util';
import { loadPolicy, openEngine, type Item } from '../src/index';
import { outcomeOf, type ItemOutcome } from '../src/run/outcomes';
import { sampleItems } from '../src/rl/rollout';
import { mean } from '../src/run/statistics';
import { generateDataset } from '../src/tom/generate';
import { modelFiles } from './model-files';
import { readPublishedItems } from './published-items';

const { values } = parseArgs({
  options: {
    model: { type: 'string', default: 'public/models/hitom-mini' },
    items: { type: 'string', default: '200' },
    published: { type: 'string', default: '' },
    seed: { type: 'string', default: '7' },
  },
});

/** As runs have them: the longest trace of a short story has 143 tokens, of a long one 257. */
const MOST_TOKENS = { short: 160, long: 288 };
const EVALUATION_OFFSET = 2 ** 31;
const ROWS = 32;

const engine = await openEngine({ backend: 'wasm' });
const policy = await loadPolicy(engine, { files: await modelFiles(values.model) });

/** Items per order. */
function generated(source: string, count: number): Item[] {
  return [0, 1, 2, 3, 4].flatMap((order) =>
    generateDataset({
      source,
      orders: [order],
      dropShortcutRight: 0,
      reentry: false,
      count,
      seed: Number(values.seed),
      offset: EVALUATION_OFFSET,
    }),
  );
}

async function outcomes(
  items: readonly Item[],
  temperature: number,
  maxNewTokens: number,
): Promise<ItemOutcome[]> {
  const all: ItemOutcome[] = [];
  for (let first = 0; first < items.length; first += ROWS) {
    const samples = await sampleItems(
      policy,
      items.slice(first, first + ROWS),
      { samplesPerPrompt: 1, maxNewTokens, temperature, seed: 1, stream: first },
      { preset: 'tom-rl' },
    );
    all.push(...samples.map(outcomeOf));
  }
  return all;
}

const share = (of: readonly ItemOutcome[], holds: (outcome: ItemOutcome) => boolean): string =>
  of.length === 0 ? '' : mean(of.map((outcome) => Number(holds(outcome)))).toFixed(3);
const right = ({ correct }: ItemOutcome): boolean => correct;

function row(set: string, orders: readonly number[], greedy: ItemOutcome[], sampled: ItemOutcome[]): string {
  const own = greedy.filter(({ order }) => orders.includes(order));
  const known = own.filter(({ shortcutRight }) => shortcutRight !== null);
  const cells = [
    set,
    orders.length === 1 ? String(orders[0]) : `${orders[0]}-${orders[orders.length - 1]}`,
    String(own.length),
    share(own, right),
    share(
      sampled.filter(({ order }) => orders.includes(order)),
      right,
    ),
    mean(own.map(({ thinkTokens }) => thinkTokens)).toFixed(1),
    share(own, ({ trace }) => trace === 'faithful'),
    share(known, ({ shortcutRight }) => shortcutRight === true),
    share(
      known.filter(({ shortcutRight }) => shortcutRight === true),
      right,
    ),
    share(
      known.filter(({ shortcutRight }) => shortcutRight === false),
      right,
    ),
  ];
  return `| ${cells.join(' | ')} |`;
}

const files = values.published.split(',').filter((file) => file !== '');
const count = Number(values.items);
const sets: [string, Item[], number][] = [
  ['hitom-short', generated('hitom-short', count), MOST_TOKENS.short],
  ['hitom-long', generated('hitom-long', Math.ceil(count / 4)), MOST_TOKENS.long],
  ...(files.length === 0
    ? []
    : [
        ['published', (await readPublishedItems(files)).map(({ item }) => item), MOST_TOKENS.short] as [
          string,
          Item[],
          number,
        ],
      ]),
];
console.log(`${values.model}, greedy unless it says sampled`);
console.log(
  '| set | order | items | accuracy | sampled | think tokens | F | shortcut | where it is right | where wrong |\n|---|---|---|---|---|---|---|---|---|---|',
);
for (const [name, items, most] of sets) {
  const greedy = await outcomes(items, 0, most);
  const sampled = await outcomes(items, 1, most);
  for (const order of [0, 1, 2, 3, 4]) console.log(row(name, [order], greedy, sampled));
  console.log(row(name, [0, 1, 2, 3], greedy, sampled));
  console.log(row(name, [1, 2, 3], greedy, sampled));
}
policy.dispose();
engine.dispose();
