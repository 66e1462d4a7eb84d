/**
 * The models that `scripts/pretrain/pretrain.ts` can train: shape, vocabulary, recipe and the sentences of the model
 * card.
 */
import {
  pretrainingRates,
  pretrainingRecipe,
  type PretrainingRecipe,
} from '../../src/rl/supervised/pretraining';
import { HITOM_MARKS, hiTomVocabulary } from '../../src/tom/worlds/hitom';
import { swapVocabulary } from '../../src/tom/worlds/swap';
import { shapes, type Shape } from './model-shapes';

interface PretrainingPlan {
  shape: Shape;
  vocabulary: readonly string[];
  /** One-character words without a preceding space, such as "." after a word. */
  marks?: readonly string[];
  recipe: PretrainingRecipe;
  /** Sentences of the model card. */
  trainedOn: string;
  purpose: string;
}

const swapSizes = ['12k', '25k', '100k', '398k'] as const;

/**
 * The plan of a model.
 *
 * @param options.rate the peak learning rate; default: the model's usual one
 * @throws Error for an unknown model
 */
export function planOf(options: {
  model: string;
  seed: number;
  steps?: number;
  rate?: number;
}): PretrainingPlan {
  const { model } = options;
  const size = swapSizes.find((one) => model === `swap-${one}`);
  if (size !== undefined) return swapPlan(size, options);
  if (model === 'hitom-mini') return hiTomPlan(options);
  throw new Error(
    `--model is ${model}; it is one of ${swapSizes.map((one) => `swap-${one}`).join(', ')}, hitom-mini.`,
  );
}

/** 600 steps are 1.44 M tokens of swap stories, as in the first study (docs/results.md). */
function swapPlan(
  size: (typeof swapSizes)[number],
  { seed, steps = 600, rate = pretrainingRates[size] }: { seed: number; steps?: number; rate?: number },
): PretrainingPlan {
  return {
    shape: shapes[size],
    vocabulary: swapVocabulary(),
    recipe: pretrainingRecipe({
      seed,
      steps,
      data: { source: 'swap', orders: [1, 2, 3], dropShortcutRight: 0, reentry: false },
      learningRate: rate,
    }),
    trainedOn: "stories of Marble's own swap world",
    purpose: `It has seen full traces and direct answers, on stories in which the shortcut is right about half of the time: a start
whose reasoning reinforcement learning can then keep or lose. It is of no other use.`,
  };
}

/** 4,500 steps are 25 M tokens of Hi-ToM stories, as stated in docs/study-2.md. */
function hiTomPlan({
  seed,
  steps = 4500,
  rate = pretrainingRates['hitom-mini'],
}: {
  seed: number;
  steps?: number;
  rate?: number;
}): PretrainingPlan {
  // In higher orders the shortcut is right more often and more items are dropped; these weights balance the remaining
  // items.
  const orders = Object.entries({ 0: 1, 1: 5, 2: 6, 3: 10 }).flatMap(([order, times]) =>
    new Array<number>(times).fill(Number(order)),
  );
  return {
    shape: shapes['hitom-mini'],
    vocabulary: hiTomVocabulary(),
    marks: HITOM_MARKS,
    recipe: pretrainingRecipe({
      seed,
      steps,
      data: { source: 'hitom-short', orders, dropShortcutRight: 0.9, reentry: false },
      learningRate: rate,
      maxNewTokens: 160,
      atOnce: 8,
    }),
    trainedOn: "stories by Hi-ToM's recipe, in the published stories' words but none of these stories",
    purpose: `It has seen one-chapter stories, nine in ten that the shortcut answers left out, orders 0 to 3, full traces and direct
answers: a start for ToM-RL's recipe in miniature. It is of no other use.`,
  };
}
