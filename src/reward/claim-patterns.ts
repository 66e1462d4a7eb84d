/** Patterns over the names of one world: `{who}`, `{thing}` and `{place}` match the names in its story. */
import type { World } from '../tom/beliefs/world';

export interface Grammar {
  /** Matches a pattern against the whole sentence. Each `{who}`, `{thing}` and `{place}` is a capturing group. */
  match: (pattern: string, sentence: string) => RegExpExecArray | null;
  /** Agents named in normalised words, in order of occurrence. */
  agentsIn: (words: string) => string[];
}

const OPENINGS =
  /^(?:so|then|therefore|thus|hence|next|now|first|second|finally|afterwards|after that|and|but|because|since|at this point|this means(?: that)?|that means(?: that)?|we know(?: that)?|meanwhile)\s+/;

/** Normalises a sentence: lower case, `_` as a space, no punctuation, no leading conjunction or similar word. */
export function plainWords(text: string): string {
  let words = text
    .toLowerCase()
    .replace(/[_'’]/g, ' ')
    .replace(/[^\p{L}\p{N}\s-]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  while (OPENINGS.test(words)) words = words.replace(OPENINGS, '');
  return words;
}

export function grammarOf(world: World): Grammar {
  const names = namesOf(world);
  /** Matches any of the names, normalised and longest first. */
  const any = (all: readonly string[]): string => {
    const words = [...new Set(all.map(plainWords))].sort((a, b) => b.length - a.length);
    return words.length === 0 ? '(?!)' : `(?:${words.map(escaped).join('|')})`;
  };
  const agent = any(names.agents.filter((name) => isUnambiguous(name, names.agents)));
  const groups: Record<string, string> = {
    '{who}': `((?:both )?${agent}(?:(?: and | )${agent})*)`,
    '{thing}': `(?:the )?(${any(names.things)}|it)`,
    '{place}': `(?:the )?(${any(names.places)})`,
  };
  const compiled = new Map<string, RegExp>();
  const wholeAgent = new RegExp(`(?<![^ ])${agent}(?![^ ])`, 'g');
  const agents = new Map(names.agents.map((name) => [plainWords(name), name]));
  return {
    match(pattern, sentence) {
      let shape = compiled.get(pattern);
      if (shape === undefined) {
        shape = new RegExp(`^${pattern.replace(/\{who\}|\{thing\}|\{place\}/g, (name) => groups[name])}$`);
        compiled.set(pattern, shape);
      }
      return shape.exec(sentence);
    },
    agentsIn: (words) => Array.from(words.matchAll(wholeAgent), ([name]) => agents.get(name)!),
  };
}

/**
 * True if a list of names that contains this one has only one reading. The name "And" equals the conjunction, and "Ann Bob"
 * equals a list of Ann and Bob. A regular expression would try every reading of a long list before it fails.
 */
function isUnambiguous(name: string, agents: readonly string[]): boolean {
  const words = plainWords(name).split(' ');
  if (words.includes('and') || words.includes('both')) return false;
  const others = agents.filter((agent) => agent !== name).flatMap((agent) => plainWords(agent).split(' '));
  return words.length === 1 || !words.some((word) => others.includes(word));
}

/** Agents, things and places of a world's question and story, in order of occurrence. */
export function namesOf({ actions, question }: World): {
  agents: string[];
  things: string[];
  places: string[];
} {
  const agents = new Set(question.chain);
  const things = new Set([question.thing]);
  const places = new Set<string>();
  for (const action of actions) {
    if ('who' in action)
      (Array.isArray(action.who) ? action.who : [action.who]).forEach((agent) => agents.add(agent));
    if ('thing' in action) things.add(action.thing);
    if ('place' in action) places.add(action.place);
    if ('room' in action) places.add(action.room);
    if (action.act === 'tell' && action.property !== 'topic') places.add(action.value);
    if (action.act === 'tell' && action.to !== null) agents.add(action.to);
    for (const agent of [...(action.peeking ?? []), ...(action.distracted ?? [])]) agents.add(agent);
  }
  return { agents: [...agents], things: [...things], places: [...places] };
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
