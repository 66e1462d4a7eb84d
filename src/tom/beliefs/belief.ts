/**
 * Beliefs and facts, derived from the showings of a story: each is the value of the last showing that reached its
 * chain.
 */
import { showings, type Showing } from './simulate';
import type { Question, World } from './world';

/** The true answer to a world's question; null if the story does not determine it. */
export function answerOf(world: World): string | null {
  return answerFrom(showings(world.rules, world.actions), world.question);
}

export function answerFrom(allShowings: readonly Showing[], question: Question): string | null {
  if (question.form === 'names') return namesFrom(allShowings, question).join(', ') || 'nobody';
  const value = decidingShowing(allShowings, question)?.value ?? null;
  if (question.form === 'yes-no') return value === null ? 'no' : 'yes';
  if (question.form === 'known') return value === null ? 'does not know about it' : 'knows about it';
  return value;
}

/** Agents of the chain who know, in chain order. */
export function namesFrom(allShowings: readonly Showing[], question: Question): string[] {
  return question.chain.filter(
    (who) => decidingShowing(allShowings, { ...question, chain: [who] }) !== undefined,
  );
}

/** The showing that determines the answer: for a belief, the last one that reached the chain. */
export function decidingShowing(allShowings: readonly Showing[], question: Question): Showing | undefined {
  const { when, chain } = question;
  const about = allShowings.filter(
    ({ thing, property, value }) =>
      thing === question.thing && property === question.property && (question.value ?? value) === value,
  );
  const reaching = about.filter((showing) => (chain.length === 0 ? showing.real : showing.reaches(chain)));
  if (when === 'beginning') return reaching.find(({ value }) => value !== null);
  const inTime = when === 'end' ? reaching : reaching.filter(({ action }) => action < when);
  return inTime.at(-1);
}
