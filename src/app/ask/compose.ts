/** Prefills and validates the swap world's question of "Ask it yourself". */
import { createRandom } from '../../base/random';
import type { Evaluation } from '../../run/record/evaluation';
import { readSwapStory } from '../../tom/text/read-swap-story';
import { drawSwapWorld, swapDefaults, type SwapWorld } from '../../tom/worlds/swap';
import { answeredTwice, byClarity, type AnsweredTwice } from '../../run/recording/answered-twice';

const STREAM = 0x61736b;

/** Default story, with as many lines and people as the training stories. */
export const usualStory: SwapWorld = drawSwapWorld(createRandom(1, STREAM), 2, swapDefaults);

/** Returns the first inconsistency of a story as one sentence; null if the story is consistent. */
export function faultOf({ agents, lines, chain }: SwapWorld): string | null {
  let present = agents;
  for (const [i, line] of lines.entries()) {
    const { actor, act } = line;
    const isHere = present.includes(actor);
    if (act === 'entered' && isHere) return `Line ${i + 1}: ${actor} is in the room already.`;
    if (act !== 'entered' && !isHere) return `Line ${i + 1}: ${actor} is not in the room.`;
    if (line.act === 'swap' && line.places[0] === line.places[1])
      return `Line ${i + 1}: a swap takes two different places.`;
    if (act === 'entered') present = [...present, actor];
    if (act === 'exited') present = present.filter((agent) => agent !== actor);
  }
  if (!lines.some(({ act }) => act === 'swap')) return 'Nothing happens to the object: add a line.';
  return new Set(chain).size < chain.length ? 'The question names somebody twice.' : null;
}

/** A story of the run's tests, with its greedy answers in the first and in the latest evaluation. */
interface Prefilled {
  world: SwapWorld;
  answered: AnsweredTwice;
}

/**
 * Returns the clearest question whose greedy answers differ. Falls back to one whose thinking differs, else the first.
 *
 * @returns null before the second evaluation, or if no question is a swap story
 */
export function prefilledQuestion(evaluations: readonly Evaluation[]): Prefilled | null {
  if (evaluations.length < 2) return null;
  const pairs = byClarity(answeredTwice(evaluations[0], evaluations[evaluations.length - 1]));
  const told = pairs.flatMap((answered): Prefilled | [] => {
    const story = readSwapStory(answered.before.prompt);
    return story === null || faultOf(story.world) !== null ? [] : { world: story.world, answered };
  });
  const differing = (part: 'answer' | 'think') =>
    told.find(({ answered: { before, after } }) => before.reward[part] !== after.reward[part]);
  return differing('answer') ?? differing('think') ?? told.at(0) ?? null;
}

export function prefilledWords({ answered: { before, after } }: Prefilled): string {
  const said = ({ step, reward: { answer, correct } }: typeof before): string =>
    `“${answer ?? 'nothing that can be read'}” at step ${step}, ${correct ? 'right' : 'wrong'}`;
  return before.reward.answer !== after.reward.answer
    ? `It begins with a question of the evaluations whose greedy answer training has changed: ${said(before)}; ${said(after)}.`
    : 'No question that can be compared has another answer than at first: expect the same one.';
}
