/**
 * Checks a trace in free English by rules. Sentences that say who moved, told, entered, left, saw or believes something are
 * claims, which the simulated world confirms or refutes. All other sentences are `unread`.
 *
 * A claim about a belief holds if it is true at the cursor, the point of the story that the trace has reached, or at the end.
 * A negated one must be true at both. A claim about a location holds if it is true at any point, or at the point that an adverb
 * names ("at first", "now"). A claim about an event holds if the event is in the story. The question needs every showing of its
 * thing (`neededShowings`) and, for a belief, which agents of the question noticed each. A repeated claim about the same event
 * with the same verdict is `unread`.
 *
 * Left out: negations other than "did not see" and "does not know that", conditionals, and pronouns other than "it"
 * for the thing of the question and "that" for the previous event.
 */
import { answerFrom, decidingShowing } from '../tom/beliefs/belief';
import { showings, type Showing } from '../tom/beliefs/simulate';
import { neededShowings } from '../tom/beliefs/traces';
import { asking, type Action, type Question, type World } from '../tom/beliefs/world';
import { grammarOf, namesOf, plainWords, type Grammar } from './claim-patterns';
import { traceCheckOf, type JudgedStatement, type TraceCheck } from './types';

/** Data of a world that is independent of a trace. */
interface Background extends Grammar {
  world: World;
  allShowings: Showing[];
  needed: Showing[];
  /** Facts that the question needs: its events and, for a belief, who noticed each. */
  neededKeys: ReadonlySet<string>;
}

/** State of the parser within one trace. */
interface Reading extends Background {
  /** Index of the action that the trace described last; -1 before the first. */
  cursor: number;
  covered: Set<string>;
  /** By index of an action: the agents about whom a true sentence states whether they noticed it. */
  stated: Map<number, string[]>;
}

/** `events` are the actions for which the sentence is true; `that` is the action to which its "that" refers. */
type Judgement = { holds: boolean; covers?: string[]; events?: number[]; that?: number } | null;

/** Limit in characters. Longer sentences are `unread`, since the patterns could take long on them. */
const LONGEST_SENTENCE = 1000;

/** Cache: all samples of one prompt have the same world. */
const backgrounds = new WeakMap<World, Background>();

export function checkEnglishTrace(think: string, world: World): TraceCheck {
  const background = backgroundOf(world);
  const reading: Reading = { ...background, cursor: -1, covered: new Set(), stated: new Map() };
  const claims = new Set<string>();
  const judged = sentencesOf(think).map((text): JudgedStatement => {
    const judgement = text.length > LONGEST_SENTENCE ? null : judge(reading, plainWords(text));
    const newKeys = (judgement?.covers ?? []).filter(
      (key) => background.neededKeys.has(key) && !reading.covered.has(key),
    );
    const claim = `${text} ${judgement?.that} ${judgement?.holds}`;
    if (judgement === null || (claims.has(claim) && newKeys.length === 0))
      return { text, holds: null, covers: [] };
    claims.add(claim);
    newKeys.forEach((key) => reading.covered.add(key));
    return { text, holds: judgement.holds, covers: newKeys };
  });
  return traceCheckOf(judged, background.neededKeys.size);
}

function backgroundOf(world: World): Background {
  const known = backgrounds.get(world);
  if (known !== undefined) return known;
  const allShowings = showings(world.rules, world.actions);
  const needed = neededShowings(world, allShowings);
  const facts = world.question.chain.length > 0 ? ['event', 'noticed'] : ['event'];
  const neededKeys = new Set(needed.flatMap(({ action }) => facts.map((fact) => `${fact} ${action}`)));
  const background = { world, allShowings, needed, neededKeys, ...grammarOf(world) };
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

function judgeConclusion({ world, allShowings, match, agentsIn }: Reading, text: string): Judgement {
  const said = /^the (?:final |correct )?answer is (?:the )?(.+)$/.exec(text)?.[1];
  const answer = answerFrom(allShowings, world.question);
  if (said === undefined || answer === null) return null;
  const isList = world.question.form === 'names' && match('{who}', said) !== null;
  const normal = (words: string): string => (isList ? agentsIn(words).sort().join() : words);
  return { holds: normal(said) === normal(plainWords(answer)) };
}

/** "Ann and Bob saw that", "none of them saw it", "Cyd did not see that". "Them" are the agents of the question. */
function judgeNoticing(reading: Reading, text: string): Judgement {
  const { world, cursor } = reading;
  const { chain, thing, property } = world.question;
  const match = reading.match(
    '{who}(?: both| all)?( did not| didn t| never)? (?:saw|see|sees|witnessed|witness|noticed|notice)(?: that| this| it| the move)',
    text,
  );
  const none =
    /^(?:none of them|(nobody|no one)|neither(?: of them)?) (?:saw|sees|witnessed|noticed) (?:that|this|it)$/.exec(
      text,
    );
  const showing = reading.allShowings.findLast(
    (one) => one.action === cursor && one.thing === thing && one.property === property,
  );
  if ((match === null && none === null) || showing === undefined) return null;
  const everybody = none?.[1] === undefined ? chain : namesOf(world).agents;
  const named = match === null ? everybody : reading.agentsIn(match[1]);
  if (named.length === 0) return null;
  const noticed = (agent: string): boolean => showing.reaches([agent]);
  const isNegated = match === null || match[2] !== undefined;
  if (isNegated ? named.some(noticed) : !named.every(noticed)) return { holds: false, that: cursor };
  const stated = [...(reading.stated.get(cursor) ?? []), ...named];
  reading.stated.set(cursor, stated);
  const seers = chain.filter(noticed);
  const isComplete = (seers.length > 0 ? seers : chain).every((agent) => stated.includes(agent));
  return { holds: true, covers: isComplete ? [`noticed ${cursor}`] : [], that: cursor };
}

const NOT = '(?:does not|doesn t|did not) ';
const THINKS = '(?:thinks?|believes?|knows?|assumes?|expects?)(?: that)? ';
const MIND = `{who} (?:really )?(?:${NOT})?${THINKS}`;
/** Longer chains and lists are `unread`: the number of chains grows exponentially with the lists. */
const MOST_MINDS = 8;

/** "Ann thinks that Bob and Cyd think the pear is in the box", "Ann will look for it in the box". */
function judgeBelief(reading: Reading, text: string): Judgement {
  const { match, world, allShowings, cursor, agentsIn } = reading;
  const claim =
    match(`((?:${MIND})+){thing}(?: is| was| to be)?(?: still| now)? in {place}(?: now)?`, text) ??
    match(
      '((?:{who} (?:thinks?|believes?)(?: that)? )*{who} )(?:will|would) (?:look|search) for {thing} in {place}',
      text,
    );
  if (claim === null) return null;
  const [thing, place] = claim.slice(-2);
  const minds = claim[1].split(new RegExp(THINKS)).map(agentsIn);
  const named = minds.flat();
  if (new Set(named).size !== named.length || named.length > MOST_MINDS) return null;
  const chains = minds
    .filter((agents) => agents.length > 0)
    .reduce<string[][]>((all, agents) => all.flatMap((chain) => agents.map((one) => [...chain, one])), [[]]);
  const question = { ...aboutOf(world, thing, place), when: 'end', form: 'value' } as const;
  const beliefsIn = (shown: Showing[]): (string | null)[] =>
    chains.map((chain) => plainAnswer(shown, { ...question, chain }));
  const states = [allShowings.filter(({ action }) => action <= cursor), allShowings].map(beliefsIn);
  // "Ann does not know that Bob does not know that …" says what the sentence without both negations says.
  const isNegated = (claim[1].match(new RegExp(NOT, 'g')) ?? []).length % 2 === 1;
  return {
    holds: isNegated
      ? !states.flat().includes(place)
      : states.some((beliefs) => beliefs.every((belief) => belief === place)),
  };
}

function plainAnswer(shown: Showing[], question: Question): string | null {
  const answer = answerFrom(shown, question);
  return answer === null ? null : plainWords(answer);
}

const MOVED =
  '{who} (?:moved|moves|put|puts|placed|places|took|takes|transferred|carried) {thing} (?:from (?:{place}|.+) )?(?:to|into|in|inside) {place}';
const TOLD =
  '{who} (?:privately |(publicly ))?(?:told|tells|(claimed|claims|said|says))(?: privately to|( out loud| all who were there| everyone))?(?: {who})? (?:that {thing} is in {place}|about (.+))';
const CAME =
  '{who} (?:(entered|enters|went into|came into|comes into)|exited|exits|left|leaves)(?: {place})?';
const STAYED = '{who} (?:made no movements and |made no move and )?(?:stayed|stays)(?: in {place}.*)?';

/** A claim about an action. It refers to the next matching action after the cursor, or else to any matching one. */
function judgeEvent(reading: Reading, text: string): Judgement {
  const { world, allShowings, agentsIn } = reading;
  const same = (value: string | null, words: string): boolean =>
    value !== null && plainWords(value) === words;
  const isBy = (action: Action, words: string): boolean => {
    const named = agentsIn(words);
    return named.length === 1 && 'who' in action && action.who === named[0];
  };
  const groupsOf = (pattern: string): string[] | undefined => reading.match(pattern, text)?.slice(1);
  const moved = groupsOf(MOVED) as (string | undefined)[] | undefined;
  if (moved !== undefined) {
    const [who = '', name = '', from, place = ''] = moved;
    const thing = thingOf(world, name);
    const wasThere = (action: Action): boolean => {
      if (from === undefined) return true;
      const { property } = aboutOf(world, name, from);
      const before = asking([], thing!, property, world.actions.indexOf(action));
      return plainAnswer(allShowings, before) === from;
    };
    return judgeAction(
      reading,
      (action) =>
        (action.act === 'move' || action.act === 'carry') &&
        action.thing === thing &&
        same(action.act === 'move' ? action.place : action.room, place) &&
        isBy(action, who) &&
        wasThere(action),
    );
  }
  const told = groupsOf(TOLD) as (string | undefined)[] | undefined;
  if (told !== undefined) {
    const [who = '', publicly, claimed, aloud, listener, name, value = '', topic = ''] = told;
    const thing = thingOf(world, name ?? topic.replace(/^the /, ''));
    const isPublic = (publicly ?? claimed ?? aloud) !== undefined;
    return judgeAction(
      reading,
      (action) =>
        action.act === 'tell' &&
        isBy(action, who) &&
        (listener === undefined ? !isPublic || action.to === null : same(action.to, listener)) &&
        action.thing === thing &&
        (name === undefined || same(action.value, value)),
    );
  }
  const taken = groupsOf('{thing} (?:is|was) taken away');
  if (taken !== undefined) {
    const thing = thingOf(world, taken[0]);
    return judgeAction(reading, (action) => action.act === 'carry' && action.thing === thing);
  }
  const came = groupsOf(CAME) as (string | undefined)[] | undefined;
  if (came !== undefined) {
    const [who = '', entered, room] = came;
    const isOf = (agents: readonly string[]) => (action: Action) =>
      action.act === (entered === undefined ? 'exit' : 'enter') &&
      (room === undefined || same(action.room, room)) &&
      agents.every((agent) => [action.who].flat().includes(agent));
    const together = judgeAction(reading, isOf(agentsIn(who)));
    // Several people may also enter or leave one by one.
    return together.holds
      ? together
      : { holds: agentsIn(who).every((agent) => world.actions.some(isOf([agent]))) };
  }
  const stayed = groupsOf(STAYED);
  if (stayed !== undefined)
    return judgeAction(reading, (action) => action.act === 'stay' && isBy(action, stayed[0]));
  const change = judgeAction(
    reading,
    (action) => action.act === 'change' && same(`${action.who} ${action.state}`, text),
  );
  return change.holds ? change : null;
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
  const about = aboutOf(reading.world, thing, place);
  const isAbout = (showing: Showing): boolean =>
    showing.thing === about.thing && showing.property === about.property;
  const real = reading.allShowings.filter((showing) => showing.real && isAbout(showing));
  const right = real.filter(({ value }) => value !== null && plainWords(value) === place);
  if (/first|initially|originally|beginning/.test(adverb)) {
    if (right.length === 0 || right[0].action !== real[0].action) return { holds: false };
    reading.cursor = real[0].action;
    const isNeeded = reading.needed.some(isAbout);
    return { holds: true, covers: isNeeded ? [`event ${reading.cursor}`] : [], events: [reading.cursor] };
  }
  if (/now|end|finally|really/.test(adverb))
    return { holds: right.length > 0 && right.at(-1) === real.at(-1) };
  if (right.length === 0) return { holds: false };
  const shows = reading.needed.filter(
    (showing) => isAbout(showing) && showing.value !== null && plainWords(showing.value) === place,
  );
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

/** Judges a claim by the actions that match it. */
function judgeAction(reading: Reading, fits: (action: Action) => boolean): NonNullable<Judgement> {
  const indices = reading.world.actions.flatMap((action, index) => (fits(action) ? [index] : []));
  const fresh = indices.filter((index) => !reading.covered.has(`event ${index}`));
  const index = fresh.find((candidate) => candidate > reading.cursor) ?? fresh[0] ?? indices[0];
  if (index === undefined) return { holds: false };
  reading.cursor = index;
  return { holds: true, covers: [`event ${index}`], events: indices };
}

/** The thing with this normalised name; "it" is the thing of the question. */
function thingOf({ actions, question }: World, words: string): string | undefined {
  const names = [question.thing, ...actions.flatMap((action) => ('thing' in action ? [action.thing] : []))];
  return words === 'it' ? question.thing : names.find((name) => plainWords(name) === words);
}

/** The thing of a claim, and whether its place is a room or a container. */
function aboutOf(world: World, thing: string, place: string): Pick<Question, 'thing' | 'property'> {
  const isRoom = world.actions.some((action) => 'room' in action && plainWords(action.room) === place);
  return { thing: thingOf(world, thing)!, property: isRoom ? 'room' : 'place' };
}
