/**
 * Parses a Hi-ToM, ToMi or ExploreToM story into actions. Each sentence has at most one reading. A sentence without one
 * is noise if it reports a person's tastes or losses; otherwise it reports a change to a thing of the story.
 */
import { MarbleError } from '../../base/error';
import { NAME, sentencesOf, tidied } from './split-sentences';
import type { Action, Rules, WitnessedAction } from '../beliefs/world';

export interface ReadStory {
  rules: Rules;
  actions: WitnessedAction[];
  /** The sentences, one for each action or modifier, used to resolve "before X moved …". */
  sentences: { text: string; action: number }[];
}

const NAMES = String.raw`${NAME}(?:(?:, | and |, and )${NAME})*`;

/** Wordings that only ExploreToM uses; its containers are closed and its tellers truthful. */
const CLOSED_WORLD =
  /which is also located in|told privately to|told out loud|While this action was happening|in its original location|^\S+ left the /m;

type Reading = (match: string[]) => Action;

const readings: [pattern: RegExp, read: Reading][] = [
  [pattern(`(${NAMES}) entered the (.+)`), ([who, room]) => ({ act: 'enter', who: namesIn(who), room })],
  [pattern(`(${NAME}) (?:exited|left) the (.+)`), ([who, room]) => ({ act: 'exit', who, room })],
  [
    pattern(`(${NAME}) moved the (.+?) to the (.+?), leaving the .+ in its original location`),
    ([who, thing, room]) => ({ act: 'carry', who, thing, room }),
  ],
  [
    pattern(`(${NAME}) moved the (.+?) to the (.+?)(?:, which is also located in the .+)?`),
    ([who, thing, place]) => ({ act: 'move', who, thing, place }),
  ],
  [
    pattern(`(${NAME}) made no movements and stayed in the (.+) for 1 minute`),
    ([who, room]) => ({ act: 'stay', who, room }),
  ],
  [
    pattern(
      `(${NAME}) (?:publicly claimed|told out loud|(?:privately told|told privately to) (${NAME})) that (?:the )?(.+?) is in the (.+?)(?: now)?`,
    ),
    ([who, to, thing, value]) => ({ act: 'tell', who, to: to ?? null, thing, property: 'place', value }),
  ],
  [
    pattern(`(${NAME}) told (?:out loud|privately to (${NAME})) about the (.+)`),
    ([who, to, thing]) => ({ act: 'tell', who, to: to ?? null, thing, property: 'topic', value: 'known' }),
  ],
  [pattern(`The (.+?) (?:is|are) in the (.+)`), ([thing, place]) => ({ act: 'announce', thing, place })],
  [pattern(`(${NAME}) is in the (.+)`), ([who, room]) => ({ act: 'enter', who: [who], room })],
];

/** No data set here has longer sentences, and the patterns could take long on them. */
const LONGEST_SENTENCE = 1000;
/** ExploreToM's wording for a container, never used for a room. */
const BESIDE = /, which is also located in /;
const ATTENTION = /^While this action was happening, /;
const PEEKING = new RegExp(`(${NAMES}) witnessed this action in secret`, 'u');
const DISTRACTED = new RegExp(`(${NAMES}) got distracted`, 'u');
const NOISE = new RegExp(`^${NAME} (?:saw|lost|found|likes|dislikes|loves|hates) `, 'u');

/**
 * Parses a story.
 *
 * @param asked things that the question names; only these identify a thing that is changed before it is moved
 * @throws `tom/unreadable-story` with the sentence that has no reading
 */
export function readStory(story: string, asked: readonly string[] = []): ReadStory {
  const rules: Rules = CLOSED_WORLD.test(tidied(story).replace(/([.\n])\s*(\d+ )?/g, '$1\n'))
    ? 'closed'
    : 'open';
  const actions: WitnessedAction[] = [];
  const sentences: ReadStory['sentences'] = [];
  const texts = sentencesOf(story);
  const long = texts.findIndex((text) => text.length > LONGEST_SENTENCE);
  if (long !== -1) throw unreadable(texts[long], long);
  const things = new Set([...asked, ...thingsMoved(texts)]);
  const rooms = new Set(roomsNamed(texts));
  for (const text of texts) {
    if (ATTENTION.test(text)) {
      const last = actions.at(-1);
      if (last === undefined) throw unreadable(text, sentences.length);
      const peeking = PEEKING.exec(text);
      const distracted = DISTRACTED.exec(text);
      if (peeking !== null) last.peeking = namesIn(peeking[1]);
      if (distracted !== null) last.distracted = namesIn(distracted[1]);
    } else {
      const action = asRoom(
        readSentence(text, things, sentences.length),
        rooms,
        rules === 'closed' && !BESIDE.test(text),
      );
      if ('place' in action) [action.thing, action.place].forEach((name) => things.add(name));
      if (action.act === 'carry') rooms.add(action.room);
      actions.push(action);
    }
    sentences.push({ text, action: actions.length - 1 });
  }
  return { rules, actions, sentences };
}

/** Names of moved things and of the containers that they entered, longest first: "small notebook" before "notebook". */
function thingsMoved(texts: readonly string[]): string[] {
  const moves = texts.flatMap((text) => /^\S+ moved the (.+?) to the ([^,]+)/.exec(text)?.slice(1) ?? []);
  return moves.sort((a, b) => b.length - a.length);
}

function roomsNamed(texts: readonly string[]): string[] {
  return texts.flatMap(
    (text) =>
      /(?: entered| left| exited|, which is also located in) the (.+)$/.exec(text)?.[1] ??
      / to the (.+), leaving the .+ in its original location$/.exec(text)?.[1] ??
      [],
  );
}

/** Reads a place as a room if a person enters it, or if ExploreToM's wording marks another room. */
function asRoom(action: Action, rooms: ReadonlySet<string>, elsewhere: boolean): Action {
  if (action.act === 'move' && (elsewhere || rooms.has(action.place))) {
    return { act: 'carry', who: action.who, thing: action.thing, room: action.place };
  }
  if (action.act === 'tell' && rooms.has(action.value)) return { ...action, property: 'room' };
  return action;
}

function readSentence(text: string, things: ReadonlySet<string>, index: number): Action {
  for (const [shape, read] of readings) {
    const match = shape.exec(text);
    if (match !== null) return read(match.slice(1));
  }
  if (NOISE.test(text)) return { act: 'noise', text };
  const thing = [...things].find((name) => text.includes(`the ${name}`));
  const who = new RegExp(`^(${NAME}) `, 'u').exec(text)?.[1];
  if (who === undefined) throw unreadable(text, index);
  return thing === undefined
    ? { act: 'noise', text }
    : { act: 'change', who, thing, state: text.slice(who.length + 1) };
}

function namesIn(list: string): string[] {
  return list.split(/,? and |, /).filter((name) => name !== '');
}

function pattern(shape: string): RegExp {
  return new RegExp(`^${shape}$`, 'u');
}

function unreadable(text: string, index: number): MarbleError {
  return new MarbleError(
    'tom/unreadable-story',
    `Sentence ${index + 1} cannot be parsed: "${text.slice(0, 120)}".`,
    'solve() reads stories of Hi-ToM, ToMi and ExploreToM (structured); other stories need their own answers.',
  );
}
