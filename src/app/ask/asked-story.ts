/** Stories of the swap world that "Ask it yourself" offers. */
import { createRandom } from '../../base/random';
import type { RunConfig } from '../../run/config/config';
import type { Evaluation } from '../../run/record/evaluation';
import { answeredTwice, byClarity } from '../../run/recording/answered-twice';
import { readSwapStory } from '../../tom/text/read-swap-story';
import { drawSwapWorld, swapDefaults, type SwapWorld } from '../../tom/worlds/swap';

const STREAM = 0x61736b;

/** Draws a story like those that the run trains on. Equal numbers draw equal stories. */
export function drawStory({ data }: RunConfig, number: number): SwapWorld {
  const { rho = swapDefaults.rho, events = swapDefaults.events, reentry, orders } = data;
  const random = createRandom(number, STREAM);
  return drawSwapWorld(random, random.choice(orders), { rho, events, reentry });
}

/** The clearest question of the evaluations; null without one. */
export function clearestStory(evaluations: readonly Evaluation[]): SwapWorld | null {
  if (evaluations.length === 0) return null;
  const [first] = byClarity(answeredTwice(evaluations[0], evaluations[evaluations.length - 1]));
  return first === undefined ? null : (readSwapStory(first.before.prompt)?.world ?? null);
}
