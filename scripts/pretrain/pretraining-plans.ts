/** What `scripts/pretrain/pretrain.ts` can make: for each model its shape, its words, its recipe and what its card says of it. */
import {
  pretrainingRates,
  pretrainingRecipe,
  type PretrainingRecipe,
} from '../../src/rl/supervised/pretraining';
import { HITOM_MARKS, hiTomVocabulary } from '../../src/tom/worlds/hitom';
import { swapVocabulary } from '../../src/tom/worlds/swap';
import { shapes, type NewModelOptions, type Shape } from './model-shapes';

export interface PretrainingPlan extends NewModelOptions {
  name: string;
  shape: Shape;
  vocabulary: readonly string[];
  recipe: PretrainingRecipe;
  /** Sentences of the card. */
  trainedOn: string;
  purpose: string;
}

export interface PlanOptions {
  model: string;
  seed: number;
  steps?: number;
  /** Peak learning rate, where it is not the usual one. */
  rate?: number;
}

const swapShapes = {
  'swap-12k': '12k',
  'swap-25k': '25k',
  'swap-100k': '100k',
  'swap-398k': '398k',
} as const;

/** 1.44 M tokens of swap stories, as docs/study-1.md has it. */
const SWAP_STEPS = 600;
/** 25 M tokens of Hi-ToM's, as docs/study-2.md has it. */
const HITOM_STEPS = 4500;

const isSwap = (name: string): name is keyof typeof swapShapes => name in swapShapes;

/** @throws Error for a model that is none */
export function planOf(options: PlanOptions): PretrainingPlan {
  const { model } = options;
  if (isSwap(model)) return swapPlan(model, options);
  if (model === 'hitom-mini') return hiTomPlan(options);
  throw new Error(`--model is ${model}; it is one of ${Object.keys(swapShapes).join(', ')}, hitom-mini.`);
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
  };
}

function repeated(order: number, times: number): number[] {
  return Array.from({ length: times }, () => order);
}
