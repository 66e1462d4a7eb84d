/** What `scripts/pretrain/pretrain.ts` can make: for each model its shape, its words, its recipe and what its card says of it. */
import {
  orderOneRecipe,
  pretrainingRates,
  pretrainingRecipe,
  warmStartRecipe,
} from '../../src/rl/warm-start/warm-start';
import type { WarmStartConfig } from '../../src/rl/warm-start/warm-start';
import { HITOM_MARKS, hiTomVocabulary } from '../../src/tom/worlds/hitom-vocabulary';
import { nanoVocabulary } from '../../src/tom/worlds/nano';
import { swapVocabulary } from '../../src/tom/worlds/swap';
import { shapes, type NewModelOptions, type Shape } from './model-shapes';

export interface PretrainingPlan extends NewModelOptions {
  name: string;
  shape: Shape;
  vocabulary: readonly string[];
  /** A folder whose model it goes on from; random weights where left out. */
  from?: string;
  recipe: WarmStartConfig;
  /** Sentences of the card. */
  trainedOn: string;
  purpose: string;
  ending: string;
}

export interface PlanOptions {
  model: string;
  seed: number;
  steps?: number;
  /** Peak learning rate, where it is not the usual one. */
  rate?: number;
  goal?: number;
  recipe?: string;
}

const swapShapes = {
  'swap-12k': '12k',
  'swap-25k': '25k',
  'swap-100k': '100k',
  'swap-398k': '398k',
} as const;

/** 1.44 M tokens of swap stories, as docs/study-1.md has it. */
const SWAP_STEPS = 600;
/** 7.5 M tokens of Hi-ToM's. */
const HITOM_STEPS = 1350;

const isSwap = (name: string): name is keyof typeof swapShapes => name in swapShapes;

/** @throws Error for a model that is none */
export function planOf(options: PlanOptions): PretrainingPlan {
  const { model } = options;
  if (options.recipe !== undefined && (options.recipe !== 'order-1' || model !== 'nano')) {
    throw new Error(`--recipe is ${options.recipe}; it is order-1 with --model nano, or left out.`);
  }
  if (model === 'micro' || model === 'nano') return nanoPlan(model, options);
  if (isSwap(model)) return swapPlan(model, options);
  if (model === 'hitom-mini') return hiTomPlan(options);
  throw new Error(
    `--model is ${model}; it is one of micro, nano, ${Object.keys(swapShapes).join(', ')}, hitom-mini.`,
  );
}

/** The embedded models of the nano world, which end at a goal. */
function nanoPlan(name: 'micro' | 'nano', { seed, goal, recipe }: PlanOptions): PretrainingPlan {
  const goesOn = recipe === 'order-1';
  const config = goesOn ? orderOneRecipe(seed, goal) : warmStartRecipe(name, seed, goal);
  const last = config.stages[config.stages.length - 1].goal;
  return {
    name,
    shape: shapes[name === 'micro' ? '25k' : '100k'],
    vocabulary: nanoVocabulary(),
    from: goesOn ? `public/models/${name}` : undefined,
    recipe: config,
    trainedOn: "stories of Marble's own nano world",
    purpose: `${goesOn ? 'It follows order-1 stories nearly well, and no others' : 'It reads one kind of story and reasons tersely and not well'}, on purpose: what
reinforcement learning then does to that reasoning is what the page shows. It is of no other use.`,
    ending: `The recipe stops as soon as sampled accuracy reaches ${last?.accuracy} and format ${last?.format}. How this seed was
chosen, and what the other seeds gave, stands in \`docs/study-1/history.md\`.`,
  };
}

function swapPlan(
  name: keyof typeof swapShapes,
  { seed, steps = SWAP_STEPS, rate }: PlanOptions,
): PretrainingPlan {
  const size = swapShapes[name];
  return {
    name,
    shape: shapes[size],
    vocabulary: swapVocabulary(),
    recipe: pretrainingRecipe({
      seed,
      steps,
      data: { source: 'swap', orders: [1, 2, 3], dropShortcutRight: 0, reentry: false },
      learningRate: rate ?? pretrainingRates[size],
    }),
    trainedOn: "stories of Marble's own swap world",
    purpose: `It has seen full traces and direct answers, on stories in which the shortcut is right about half of the time: a start
whose reasoning reinforcement learning can then keep or lose. It is of no other use.`,
    ending: 'The recipe is a fixed number of steps, with warm-up and linear decay of the learning rate.',
  };
}

function hiTomPlan({ seed, steps = HITOM_STEPS }: PlanOptions): PretrainingPlan {
  return {
    name: 'hitom-mini',
    shape: shapes['hitom-mini'],
    vocabulary: hiTomVocabulary(),
    marks: HITOM_MARKS,
    recipe: pretrainingRecipe({
      seed,
      steps,
      batch: 32,
      // The higher the order the more often the shortcut is right and the item dropped: so each order is kept as often.
      data: {
        source: 'hitom-short',
        orders: [0, ...repeated(1, 5), ...repeated(2, 6), ...repeated(3, 10)],
        dropShortcutRight: 0.9,
        reentry: false,
      },
      learningRate: pretrainingRates['hitom-mini'],
      maxNewTokens: 160,
      atOnce: 8,
    }),
    trainedOn: "stories by Hi-ToM's recipe, in the published stories' words but none of these stories",
    purpose: `It has seen one-chapter stories, nine in ten that the shortcut answers left out, orders 0 to 3, full traces and direct
answers: a start for ToM-RL's recipe in miniature. It is of no other use.`,
    ending: 'The recipe is a fixed number of steps, with warm-up and linear decay of the learning rate.',
  };
}

function repeated(order: number, times: number): number[] {
  return Array.from({ length: times }, () => order);
}
