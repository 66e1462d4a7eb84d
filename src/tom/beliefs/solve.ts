/** Computes the exact answer to a question about a story from their texts. */
import { MarbleError } from '../../base/error';
import { answerOf } from './belief';
import { readQuestion, thingAsked } from '../text/read-question';
import { readStory } from '../text/read-story';
import { orderOf, type Rules, type World } from './world';

export interface Answer {
  answer: string;
  /** Number of agents in the chain; 0 for reality and memory. */
  order: number;
  /** The agents whose beliefs are nested, outermost first. */
  chain: string[];
  /** `closed` for the rules of ExploreToM, `open` for those of Hi-ToM and ToMi. */
  rules: Rules;
}

/**
 * Answers a question by exact simulation. Reads the texts of Hi-ToM, ToMi and ExploreToM (structured telling).
 *
 * @throws `tom/unreadable-story`, `tom/unreadable-question`, `tom/unknown-belief`
 */
export function solve(story: string, question: string): Answer {
  const world = readWorld(story, question);
  const answer = answerOf(world);
  if (answer === null) {
    throw new MarbleError(
      'tom/unknown-belief',
      `The story does not answer "${question.slice(0, 160)}": the agents in the question saw nothing that answers it.`,
      'Ask about an agent who was present, or leave the question out.',
    );
  }
  const { chain } = world.question;
  return { answer, order: orderOf(world.question), chain, rules: world.rules };
}

/** Parses a story and a question in the wording of Hi-ToM, ToMi or ExploreToM into a world. */
export function readWorld(story: string, question: string): World {
  const read = readStory(story, thingAsked(question));
  return { rules: read.rules, actions: read.actions, question: readQuestion(question, read) };
}
