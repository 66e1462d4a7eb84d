/** The exact answer to a question about a story, from their texts alone. */
import { MarbleError } from '../../base/error';
import { answerOf } from './belief';
import { readQuestion, thingAsked } from '../text/read-question';
import { readStory } from '../text/read-story';
import { orderOf, type Rules, type World } from './world';

export interface Answer {
  answer: string;
  /** Length of the chain of minds; 0 for reality and memory. */
  order: number;
  /** Whose mind, outermost first. */
  chain: string[];
  /** `closed` for ExploreToM's rules, `open` for Hi-ToM's and ToMi's. */
  rules: Rules;
}

/**
 * Answers by exact simulation, for the texts of Hi-ToM, ToMi and ExploreToM (structured telling).
 *
 * @throws `tom/unreadable-story`, `tom/unreadable-question`, `tom/unknown-belief`
 */
export function solve(story: string, question: string): Answer {
  const world = readWorld(story, question);
  const answer = answerOf(world);
  if (answer === null) {
    throw new MarbleError(
      'tom/unknown-belief',
      `The story does not settle "${question.slice(0, 160)}": nothing that was shown reached those asked about.`,
      'Ask about somebody who was there, or leave the question out.',
    );
  }
  const { chain } = world.question;
  return { answer, order: orderOf(world.question), chain, rules: world.rules };
}

/** The world behind a story and a question in the wording of Hi-ToM, ToMi or ExploreToM. */
export function readWorld(story: string, question: string): World {
  const read = readStory(story, thingAsked(question));
  return { rules: read.rules, actions: read.actions, question: readQuestion(question, read) };
}
