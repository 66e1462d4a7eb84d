/**
 * Checks a trace in free English by rules. Sentences that say who moved, told, entered, left, saw or believes something are
 * claims, which the simulated world confirms or refutes. All other sentences are `unread`.
 *
 * A claim about a belief or a location holds if it is true at the cursor, the point of the story that the trace has reached,
 * or at the end. A claim about an event holds if the event is in the story. The question needs every showing of its thing
 * (`neededShowings`) and, for a belief, which agents of the question noticed each. A repeated claim about the same event with
 * the same verdict is `unread`.
 *
 * Left out: negations other than "did not see" and "does not know that", conditionals, and pronouns other than "it"
 * for the thing of the question and "that" for the previous event.
 */
import { answerFrom, decidingShowing } from '../tom/beliefs/belief';
import { showings, type Showing } from '../tom/beliefs/simulate';
import { neededShowings } from '../tom/beliefs/traces';
import type { Action, World } from '../tom/beliefs/world';
import { matcherFor, namesIn, plainWords, type Matcher } from './claim-patterns';
import { traceCheckOf, type JudgedStatement } from './statements';
import type { TraceCheck } from './types';

/** Data of a world that is independent of a trace. */
interface Background {
  world: World;
  allShowings: Showing[];
  needed: Showing[];
  match: Matcher;
}

/** State of the parser within one trace. */
interface Reading extends Background {
  /** Index of the action that the trace described last; -1 before the first. */
  cursor: number;
  covered: Set<string>;
}

/** `events` are the actions for which the sentence is true; `that` is the action to which its "that" refers. */
type Judgement = { holds: boolean; covers?: string[]; events?: number[]; that?: number } | null;

/** Limit in characters. Longer sentences are `unread`, since the patterns could take long on them. */
const LONGEST_SENTENCE = 1000;

/** Cache: all samples of one prompt have the same world. */
const backgrounds = new WeakMap<World, Background>();

export function checkEnglishTrace(think: string, world: World): TraceCheck {
  const background = backgroundOf(world);
  const reading: Reading = { ...background, cursor: -1, covered: new Set() };
  const claims = new Set<string>();
  const judged = sentencesOf(think).map((text): JudgedStatement => {
    const judgement = text.length > LONGEST_SENTENCE ? null : judge(reading, plainWords(text));
    const newKeys = (judgement?.covers ?? []).filter((key) => !reading.covered.has(key));
    const claim = `${text} ${judgement?.that} ${judgement?.holds}`;
    if (judgement === null || (claims.has(claim) && newKeys.length === 0))
      return { text, holds: null, covers: [] };
    claims.add(claim);
    if (judgement.holds) newKeys.forEach((key) => reading.covered.add(key));
    return { text, holds: judgement.holds, covers: newKeys };
  });
  const chain = world.question.chain.length;
  return traceCheckOf(judged, background.needed.length * (chain > 0 ? 2 : 1));
}

function backgroundOf(world: World): Background {
  const known = backgrounds.get(world);
  if (known !== undefined) return known;
  const allShowings = showings(world.rules, world.actions);
  const background = {
    world,
    allShowings,
    needed: neededShowings(world, allShowings),
    match: matcherFor(world),
  };
  backgrounds.set(world, background);
  return background;
}

function sentencesOf(think: string): string[] {
  return think
    .split(/\n+|(?<=[.;!?])\s+/)
    .map((sentence) => withoutEnd(sentence.replace(/^[\s*\-•]*(?:\d+[.)])?\s*/, '')))
    .filter((sentence) => sentence !== '');
}

/** Strips punctuation and asterisks from the end. A regular expression would need quadratic time for a run of asterisks. */
function withoutEnd(sentence: string): string {
  let end = sentence.length;
  while (end > 0 && /[\s.;!?*]/.test(sentence[end - 1])) end--;
  return sentence.slice(0, end);
}

function judge(reading: Reading, sentence: string): Judgement {
  const decides = /^what decides it (?:is that )?(.+)$/.exec(sentence);
  const text = decides === null ? sentence : decides[1];
  const judgement =
    judgeConclusion(reading, text) ??
    judgeNoticing(reading, text) ??
    judgeBelief(reading, text) ??
    judgeEvent(reading, text) ??
    judgeLocation(reading, text);
  if (decides === null || judgement === null) return judgement;
  return judgeDeciding(reading, judgement.events ?? []);
}

/** "What decides it: …" holds if the sentence is true for the deciding action. */
function judgeDeciding(reading: Reading, events: readonly number[]): Judgement {
  const { world, allShowings, needed } = reading;
  const deciding = decidingShowing(world.question.chain.length > 0 ? allShowings : needed, world.question);
  if (deciding === undefined || !events.includes(deciding.action)) return { holds: false };
  reading.cursor = deciding.action;
  return { holds: true, covers: [`event ${deciding.action}`] };
}

function judgeConclusion({ world, allShowings }: Reading, text: string): Judgement {
  const match = /^the (?:final |correct )?answer is (?:the )?(.+)$/.exec(text);
  const answer = answerFrom(allShowings, world.question);
  return match === null || answer === null ? null : { holds: match[1] === plainWords(answer) };
}

/** "Ann and Bob saw that", "none of them saw it", "Cyd did not see that". */
function judgeNoticing(reading: Reading, text: string): Judgement {
  const match = reading.match(
    '{who}(?: both| all)?( did not| didn t| never)? (?:saw|see|sees|witnessed|witness|noticed|notice)(?: that| this| it| the move)',
    text,
  );
  const none =
    /^(?:none of them|nobody|no one|neither(?: of them)?) (?:saw|sees|witnessed|noticed) (?:that|this|it)$/.test(
      text,
    );
  if (match === null && !none) return null;
  const showing = reading.allShowings.findLast(({ action, thing, property }) => {
    return (
      action === reading.cursor &&
      thing === reading.world.question.thing &&
      property === reading.world.question.property
    );
  });
  if (showing === undefined) return null;
  const noticed = (agent: string): boolean => showing.reaches([agent]);
  const seers = reading.world.question.chain.filter(noticed);
  const that = showing.action;
  const key = `noticed ${that}`;
  if (match === null) return { holds: seers.length === 0, covers: [key], that };
  const named = namesIn(reading.world, match[1]);
  if (match[2] !== undefined)
    return { holds: !named.some(noticed), covers: seers.length === 0 ? [key] : [], that };
  const complete = seers.length > 0 && seers.every((agent) => named.includes(agent));
  return { holds: named.every(noticed), covers: complete ? [key] : [], that };
}

/** "Ann thinks that Bob thinks the pear is in the box", "Ann will look for it in the box". */
function judgeBelief(reading: Reading, text: string): Judgement {
  const { match, world } = reading;
  const mind =
    '{who} (?:really )?(does not |doesn t |did not )?(?:thinks?|believes?|knows?|assumes?|expects?)(?: that)? ';
  const searching = match(
    '((?:{who} (?:thinks?|believes?)(?: that)? )*){who} (?:will|would) (?:look|search) for {thing} in {place}',
    text,
  );
  if (searching !== null) {
    const chain = [...namesIn(world, searching[1]), ...namesIn(world, searching[3])];
    return judgeChain(reading, chain, searching[4], searching[5], false);
  }
  const believed = match(
    `((?:${mind})+){thing}(?: is| was| to be)?(?: still| now)? in {place}(?: now)?`,
    text,
  );
  if (believed === null) return null;
  const negated = believed[3] !== undefined;
  return judgeChain(reading, namesIn(world, believed[1]), believed[4], believed[5], negated);
}

function judgeChain(
  reading: Reading,
  chain: string[],
  thing: string,
  place: string,
  negated: boolean,
): Judgement {
  const { world, allShowings, cursor } = reading;
  if (new Set(chain).size !== chain.length) return null;
  const question = { ...thingAndProperty(world, thing, place), chain, when: 'end', form: 'value' } as const;
  const sofar = allShowings.filter(({ action }) => action <= cursor);
  const believed = [answerFrom(sofar, question), answerFrom(allShowings, question)].map(
    (value) => value && plainWords(value),
  );
  return { holds: believed.includes(place) !== negated };
}

/** A claim about an action. It refers to the next matching action after the cursor, or else to any matching one. */
function judgeEvent(reading: Reading, text: string): Judgement {
  const { match, world } = reading;
  const same = (value: string, words: string): boolean => plainWords(value) === words;
  const moved = match(
    '{who} (?:moved|moves|put|puts|placed|places|took|takes|transferred|carried) {thing} (?:from .+ )?(?:to|into|in|inside) {place}',
    text,
  );
  if (moved !== null) {
    const { thing } = thingAndProperty(world, moved[2], moved[3]);
    return judgeAction(reading, (action) => {
      const target = action.act === 'move' ? action.place : action.act === 'carry' ? action.room : null;
      return (
        target !== null &&
        'thing' in action &&
        action.thing === thing &&
        same(target, moved[3]) &&
        byOne(world, action, moved[1])
      );
    });
  }
  const telling = match(
    '{who} (?:privately |(publicly ))?(?:told|tells|(claimed|claims|said|says))(?: privately to|( out loud| all who were there| everyone))?(?: {who})? (?:that {thing} is in {place}|about (.+))',
    text,
  );
  if (telling !== null) {
    const [, who, publicly, claimed, aloud, listener, thing, value, topic] = telling;
    return judgeAction(reading, (action) => {
      if (action.act !== 'tell' || !byOne(world, action, who)) return false;
      if (
        listener === undefined
          ? (publicly ?? claimed ?? aloud) && action.to !== null
          : !isNamed(action.to, listener)
      )
        return false;
      return topic === undefined
        ? action.thing === thingAndProperty(world, thing, value).thing && same(action.value, value)
        : same(action.thing, topic.replace(/^the /, ''));
    });
  }
  const removal = match('{thing} (?:is|was) taken away', text);
  if (removal !== null)
    return judgeAction(reading, (action) => action.act === 'carry' && same(action.thing, removal[1]));
  const passage = match(
    '{who} (?:(entered|enters|went into|came into|comes into)|exited|exits|left|leaves)(?: {place})?',
    text,
  );
  if (passage !== null) {
    const inside = passage[2] !== undefined;
    return judgeAction(reading, (action) => {
      if (
        action.act !== (inside ? 'enter' : 'exit') ||
        (passage[3] !== undefined && !same(action.room, passage[3]))
      )
        return false;
      return namesIn(world, passage[1]).every((agent) =>
        (Array.isArray(action.who) ? action.who : [action.who]).includes(agent),
      );
    });
  }
  const stayed = match(
    '{who} (?:made no movements and |made no move and )?(?:stayed|stays)(?: in {place}.*)?',
    text,
  );
  if (stayed !== null)
    return judgeAction(reading, (action) => action.act === 'stay' && byOne(world, action, stayed[1]));
  return judgeAction(
    reading,
    (action) => action.act === 'change' && same(`${action.who} ${action.state}`, text),
    true,
  );
}

/** "At first the pear is in the box", "the pear is now in the box". */
function judgeLocation(reading: Reading, text: string): Judgement {
  const first = '(at first |initially |originally |in the beginning )?';
  const last = '( now| at the end| at first| initially| at the beginning| really)?';
  const match = reading.match(
    `${first}{thing} (?:is|was|starts|started|remains|stays|ended up)( still| now| initially| originally| finally| really)? (?:in|inside|at) {place}${last}`,
    text,
  );
  if (match === null) return null;
  const [, before, thing, middle, place, after] = match;
  const adverb = [before, middle, after].join(' ');
  const about = thingAndProperty(reading.world, thing, place);
  const real = reading.allShowings.filter((showing) => {
    return showing.real && showing.thing === about.thing && showing.property === about.property;
  });
  const right = real.filter(({ value }) => value !== null && plainWords(value) === place);
  if (/first|initially|originally|beginning/.test(adverb)) {
    const holds = right.length > 0 && right[0].action === real[0].action;
    if (holds) reading.cursor = real[0].action;
    return holds ? { holds, covers: [`event ${real[0].action}`], events: [real[0].action] } : { holds };
  }
  if (/now|end|finally|really/.test(adverb))
    return { holds: right.length > 0 && right.at(-1) === real.at(-1) };
  const showing = right.find(({ action }) => action > reading.cursor) ?? right[0];
  if (showing === undefined) return { holds: false };
  const shows = reading.needed.filter(({ value }) => value !== null && plainWords(value) === place);
  const fresh = shows.filter(
    ({ action }) => action >= reading.cursor && !reading.covered.has(`event ${action}`),
  );
  const stated = fresh.find((next) => isStatedByLocation(reading, next));
  if (stated !== undefined) reading.cursor = stated.action;
  const events = shows.map(({ action }) => action);
  return { holds: true, covers: stated === undefined ? [] : [`event ${stated.action}`], events };
}

/** True if the sentence "the thing is in the place" states a showing completely. */
function isStatedByLocation({ world }: Reading, { action }: Showing): boolean {
  return world.actions[action].act === 'announce' || world.question.property === 'room';
}

/**
 * Judges a claim by the actions that match it.
 *
 * @param onlyIfPresent returns null, not false, if no action matches
 */
function judgeAction(reading: Reading, fits: (action: Action) => boolean, onlyIfPresent = false): Judgement {
  const indices = reading.world.actions.flatMap((action, index) => (fits(action) ? [index] : []));
  const fresh = indices.filter((index) => !reading.covered.has(`event ${index}`));
  const index = fresh.find((candidate) => candidate > reading.cursor) ?? fresh[0] ?? indices[0];
  if (index === undefined) return onlyIfPresent ? null : { holds: false };
  reading.cursor = index;
  const isNeeded = reading.needed.some(({ action }) => action === index);
  return { holds: true, covers: isNeeded ? [`event ${index}`] : [], events: indices };
}

function isNamed(agent: string | null, words: string): boolean {
  return agent !== null && plainWords(agent) === words;
}

function byOne(world: World, action: Action, words: string): boolean {
  const [who, ...others] = namesIn(world, words);
  return others.length === 0 && 'who' in action && who === action.who;
}

/** Resolves a thing ("it" is the thing of the question) and whether the place is a room or a container. */
function thingAndProperty(
  world: World,
  thing: string,
  place: string,
): { thing: string; property: 'place' | 'room' } {
  const names = world.actions.flatMap((action) => ('thing' in action ? [action.thing] : []));
  const isRoom = world.actions.some((action) => 'room' in action && plainWords(action.room) === place);
  return {
    thing:
      thing === 'it'
        ? world.question.thing
        : (names.find((name) => plainWords(name) === thing) ?? world.question.thing),
    property: isRoom ? 'room' : 'place',
  };
}
