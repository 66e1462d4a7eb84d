/** Parses the text of a question: the chain of agents, the thing, the property, and the time. */
import { MarbleError } from '../../base/error';
import type { ReadStory } from './read-story';
import { NAME, sentencesOf, tidied } from './split-sentences';
import { asking, orderOf, type Property, type Question } from '../beliefs/world';

const THINKS = new RegExp(`(${NAME}) (?:really )?(?:thinks?|believes?)(?: that)?`, 'gu');

/** No data set here has longer questions, and the patterns could take long on them. */
const LONGEST_QUESTION = 1000;

/** Without a story, a question has its order but no event or thing that only the story names. */
type Reading = (match: string[], story: ReadStory | null) => Question | null;

const readings: [pattern: RegExp, read: Reading][] = [
  // Hi-ToM: Where does Ella think Jack thinks the corn is?
  [/^Where (?:does|do) (.+) the (.+?) is\?$/, ([minds, thing]) => askMinds(minds, [], thing)],
  // ToMi: Where does Ella think that Jack searches for the corn?
  [
    /^Where does (.+) that (\S+) (?:searches|will search|looks|will look) for the (.+?)\?$/,
    ([minds, last, thing]) => askMinds(minds, [last], thing),
  ],
  // ToMi and ExploreToM; ToMi asks for a container with "where", and alone asks where somebody will look.
  [
    /^(?:Where|In which (container|room)(?! will \S+ look)) will (\S+) (?:look|search) for the (.+?)\?$/,
    ([where, who, thing]) => asking([who], thing, property(where)),
  ],
  [
    /^(?:Where|In which (container|room)) was the (.+?) at the beginning\?$/,
    ([where, thing]) => asking([], thing, property(where), 'beginning'),
  ],
  [
    /^(?:Where|In which (container|room)) is the (.+?)(?: really| now)?\?$/,
    ([where, thing]) => asking([], thing, property(where)),
  ],
  // ExploreToM
  [
    /^In which (container|room) does (\S+) think that (\S+) will search for the (.+?)\?$/,
    ([where, first, second, thing]) => asking([first, second], thing, property(where)),
  ],
  [
    /^In which (container|room) was the (.+?) before (.+)\?$/,
    ([where, thing, event], story) =>
      asking([], thing, property(where), story === null ? 'end' : actionOf(event, story)),
  ],
  [
    /^Does (\S+) know about (?:the )?(.+?)\? Answer yes or no\.$/,
    ([who, thing]) => ({ ...asking([who], thing, 'topic'), form: 'yes-no' }),
  ],
  [
    /^Who knows about (?:the )?(.+?)\? List the names\.$/,
    ([thing], story) => ({ ...asking(story === null ? [] : peopleOf(story), thing, 'topic'), form: 'names' }),
  ],
  [
    /^What does (\S+) think about (\S+)'s belief on (?:the )?(.+?)\? \(knows about it \/ does not know about it\)$/,
    ([first, second, thing]) => ({ ...asking([first, second], thing, 'topic'), form: 'known' }),
  ],
  [
    /^Does (\S+) know that \S+ (.+)\? Answer yes or no\.$/,
    ([who, state], story) => ({
      ...asking([who], story === null ? '' : thingOfState(state, story), 'state'),
      value: state,
      form: 'yes-no',
    }),
  ],
];

/** Parses a question about a story. @throws `tom/unreadable-question` */
export function readQuestion(question: string, story: ReadStory): Question {
  const read = readingOf(question, story);
  if (read === null) throw unreadable(question);
  return read;
}

/** Number of agents in the chain of a question; 0 also for an unknown wording. */
export function orderAsked(question: string): number {
  const read = readingOf(question, null);
  return read === null ? 0 : orderOf(read);
}

function readingOf(question: string, story: ReadStory | null): Question | null {
  if (question.length > LONGEST_QUESTION) return null;
  const text = plain(question);
  for (const [shape, read] of readings) {
    const match = shape.exec(text);
    if (match !== null) return read(match.slice(1), story);
  }
  return null;
}

/** The thing that a question names, if any; needed for stories that do not mark it as a thing. */
export function thingAsked(question: string): string[] {
  if (question.length > LONGEST_QUESTION) return [];
  const match = /(?:for|is|was) the (.+?)(?: at the beginning| now| really| before .*)?\?/.exec(
    plain(question),
  );
  return match === null ? [] : [match[1]];
}

/** The question on one line, with normal capitalisation and question mark. */
function plain(question: string): string {
  const text = tidied(question.trim()).replace(/\s+/g, ' ').replace(/ \?/g, '?').trim();
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function property(where: string | undefined): Property {
  return where === 'room' ? 'room' : 'place';
}

/** Null if the text names an agent in an unknown way: dropping that agent would change the question. */
function askMinds(text: string, last: readonly string[], thing: string): Question | null {
  const minds = [...text.matchAll(THINKS)].map((match) => match[1]);
  const said = text.match(/\b(?:think|believe)s?\b/g)?.length ?? 0;
  return minds.length === 0 || minds.length < said ? null : asking([...minds, ...last], thing);
}

/** Index of the action that a sentence of the story reports; the last one if the sentence occurs twice. */
function actionOf(event: string, story: ReadStory): number {
  const [text] = sentencesOf(event);
  // The question may omit the container's location: "before Eric moved the radio to the box".
  const sentence = story.sentences.findLast((candidate) => `${candidate.text},`.startsWith(`${text},`));
  if (sentence === undefined) throw unreadable(`… before ${event}?`);
  return sentence.action;
}

function thingOfState(state: string, story: ReadStory): string {
  const change = story.actions.findLast((action) => action.act === 'change' && action.state === state);
  if (change?.act !== 'change') throw unreadable(state);
  return change.thing;
}

/** In the order in which the story names them. */
function peopleOf({ actions }: ReadStory): string[] {
  const named = actions.flatMap((action) => {
    const listener = action.act === 'tell' && action.to !== null ? [action.to] : [];
    return 'who' in action ? [action.who, listener].flat() : [];
  });
  return [...new Set(named)];
}

function unreadable(question: string): MarbleError {
  return new MarbleError(
    'tom/unreadable-question',
    `The question cannot be parsed: "${question.slice(0, 160)}".`,
    'solve() reads the questions of Hi-ToM, ToMi and ExploreToM about containers, rooms and topics.',
  );
}
