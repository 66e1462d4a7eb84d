/** What somebody believes, and what is so: the last showing that reached them. */
import { showings, type Showing } from './simulate';
import type { Question, World } from './world';

/** The true answer to a world's question; null where the story does not settle it. */
export function answerOf(world: World): string | null {
  return answerFrom(showings(world.rules, world.actions), world.question);
}

export function answerFrom(shown: readonly Showing[], question: Question): string | null {
  if (question.form === 'names') return namesFrom(shown, question).join(', ') || 'nobody';
  const value = decidingShowing(shown, question)?.value ?? null;
  if (question.form === 'yes-no') return value === null ? 'no' : 'yes';
  if (question.form === 'known') return value === null ? 'does not know about it' : 'knows about it';
  return value;
}

/** Those of the chain who know, in the order of the chain. */
export function namesFrom(shown: readonly Showing[], question: Question): string[] {
  return question.chain.filter((who) => decidingShowing(shown, { ...question, chain: [who] }) !== undefined);
}

/** The showing that settles a question: for a belief, the last one that reached the chain. */
export function decidingShowing(shown: readonly Showing[], question: Question): Showing | undefined {
  const { when, chain } = question;
  const about = shown.filter(
    ({ thing, property, value }) =>
      thing === question.thing && property === question.property && (question.value ?? value) === value,
  );
  const reaching = about.filter((showing) => (chain.length === 0 ? showing.real : showing.reaches(chain)));
  if (when === 'beginning') return reaching.find(({ value }) => value !== null);
  const inTime = when === 'end' ? reaching : reaching.filter(({ action }) => action < when);
  return inTime.at(-1);
}
