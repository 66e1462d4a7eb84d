/**
 * Conversations with comings and goings. They replace FANToM (Kim et al. 2023), whose terms forbid training; words and
 * generator are ours. People enter and leave one room and tell all who are there about topics. One story has a pair of
 * questions about one topic: a yes/no question ("Does X know about …?") and a list question ("Who knows about …?").
 *
 * Both are scored by the rules of FANToM's own evaluation. The yes/no answer is drawn first, which makes half of them
 * yes. At least one person knows and at least one does not. Naming all or none is therefore never right.
 */
import type { Random } from '../../base/random';
import { namesFrom } from '../beliefs/belief';
import { showings } from '../beliefs/simulate';
import { asking, type Question, type WitnessedAction } from '../beliefs/world';
import type { Item } from '../item';
import { storyItem } from './story-item';
import { drawWords, HALLS, PEOPLE, TOPICS } from './words';

/** Actions after the first two people have entered. */
const LEAST_ACTIONS = 7;
const MOST_ACTIONS = 11;

/** @param part 0 for the yes/no question, 1 for the list question of the same story */
export function drawWhoKnowsItem(random: Random, id: string, part: number): Item {
  const isYes = random.uniform() < 0.5;
  for (;;) {
    const people = drawWords(random, PEOPLE, 4);
    const topics = drawWords(random, TOPICS, 3);
    const actions = drawConversation(random, people, drawWords(random, HALLS, 1)[0], topics);
    const there = [...new Set(actions.flatMap((action) => ('who' in action ? action.who : [])))];
    const thing = random.choice(topics);
    const list: Question = { ...asking(there, thing, 'topic'), form: 'names' };
    const right = namesFrom(showings('closed', actions), list);
    const tellers = actions.flatMap((action) =>
      action.act === 'tell' && action.thing === thing ? [action.who] : [],
    );
    const listeners = right.filter((who) => !tellers.includes(who));
    const wrong = there.filter((who) => !right.includes(who));
    if (listeners.length === 0 || wrong.length === 0) continue;
    const asked = random.choice(isYes ? listeners : wrong);
    const world = { rules: 'closed', actions, telling: { style: 'sentences' } } as const;
    if (part === 0) {
      const question: Question = { ...asking([asked], thing, 'topic'), form: 'yes-no' };
      const text = `Does ${asked} know about the ${thing}? Answer yes or no.`;
      const item = storyItem({ ...world, question, asked: text }, 'who-knows', 'binary', id)!;
      return { ...item, scoring: { rule: 'binary' } };
    }
    const text = `Who knows about the ${thing}? List the names.`;
    const item = storyItem({ ...world, question: list, asked: text }, 'who-knows', 'list', id)!;
    return { ...item, scoring: { rule: 'names', right, wrong } };
  }
}

/** A person who tells of a topic has just heard of it or brings it up. At least one person stays in the room. */
function drawConversation(
  random: Random,
  people: readonly string[],
  room: string,
  topics: readonly string[],
): WitnessedAction[] {
  const there = people.slice(0, 2);
  const actions: WitnessedAction[] = there.map((who) => ({ act: 'enter', who: [who], room }));
  const length = actions.length + LEAST_ACTIONS + random.integer(MOST_ACTIONS - LEAST_ACTIONS + 1);
  while (actions.length < length) {
    if (random.uniform() < 0.4 && there.length > 1) {
      const [who, thing] = [random.choice(there), random.choice(topics)];
      actions.push({ act: 'tell', who, to: null, thing, property: 'topic', value: 'known' });
      continue;
    }
    const who = random.choice(people);
    const place = there.indexOf(who);
    if (place === -1) {
      there.push(who);
      actions.push({ act: 'enter', who: [who], room });
    } else if (there.length > 1) {
      there.splice(place, 1);
      actions.push({ act: 'exit', who, room });
    }
  }
  return actions;
}
