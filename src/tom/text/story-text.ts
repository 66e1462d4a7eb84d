/**
 * Renders actions as text. The plain telling follows the data set of the rules, so `solve` reads generated stories and
 * published ones alike. The infilled telling says the same in looser prose, from a few templates selected by a salt.
 */
import type { Rules, WitnessedAction } from '../beliefs/world';

export type Telling = { style: 'lines' } | { style: 'sentences' } | { style: 'infilled'; salt: number };

/** Writes one line a sentence (Hi-ToM, ToMi) or one paragraph. */
export function tellStory(rules: Rules, actions: readonly WitnessedAction[], telling: Telling): string {
  if (telling.style !== 'infilled') {
    const sentences = plainSentences(rules, actions);
    return sentences.join(telling.style === 'lines' ? '\n' : ' ');
  }
  const { salt } = telling;
  return plainSentences(rules, actions)
    .map((sentence, index) => loosen(sentence, salt + 5 * index))
    .join(' ');
}

/** One sentence for each action, and another if a person peeked or was distracted. */
function plainSentences(rules: Rules, actions: readonly WitnessedAction[]): string[] {
  const rooms = new Map<string, string>();
  const containers = new Map<string, string>();
  return actions.flatMap((action) => {
    const sentence = sentenceOf(rules, action, rooms, containers);
    if (action.act === 'enter') action.who.forEach((agent) => rooms.set(agent, action.room));
    if (action.act === 'carry') rooms.set(action.who, action.room);
    if (action.act === 'move') containers.set(action.thing, action.place);
    if (action.act === 'carry') containers.delete(action.thing);
    const aside = attentionOf(action);
    return aside === null ? [sentence] : [sentence, aside];
  });
}

function sentenceOf(
  rules: Rules,
  action: WitnessedAction,
  rooms: ReadonlyMap<string, string>,
  containers: ReadonlyMap<string, string>,
): string {
  switch (action.act) {
    case 'enter':
      return `${listed(action.who)} entered the ${action.room}.`;
    case 'exit':
      return `${action.who} ${rules === 'open' ? 'exited' : 'left'} the ${action.room}.`;
    case 'stay':
      return `${action.who} made no movements and stayed in the ${action.room} for 1 minute.`;
    case 'announce':
      return `The ${action.thing} is in the ${action.place}.`;
    case 'move': {
      const where = rules === 'open' ? '' : `, which is also located in the ${rooms.get(action.who) ?? ''}`;
      return `${action.who} moved the ${action.thing} to the ${action.place}${where}.`;
    }
    case 'carry': {
      const container = containers.get(action.thing);
      const left = container === undefined ? '' : `, leaving the ${container} in its original location`;
      return `${action.who} moved the ${action.thing} to the ${action.room}${left}.`;
    }
    case 'change':
      return `${action.who} ${action.state}.`;
    case 'tell':
      return `${tellOf(rules, action.who, action.to)} ${contentOf(rules, action)}.`;
    case 'noise':
      return `${action.text}.`;
  }
}

function tellOf(rules: Rules, who: string, to: string | null): string {
  if (rules === 'open') return to === null ? `${who} publicly claimed` : `${who} privately told ${to}`;
  return to === null ? `${who} told out loud` : `${who} told privately to ${to}`;
}

function contentOf(rules: Rules, action: WitnessedAction & { act: 'tell' }): string {
  if (action.property === 'topic') return `about the ${action.thing}`;
  const article = rules === 'open' && action.to === null ? '' : 'the ';
  return `that ${article}${action.thing} is in the ${action.value}`;
}

function attentionOf({ peeking, distracted }: WitnessedAction): string | null {
  const asides = [
    peeking === undefined
      ? null
      : `${listed(peeking)} witnessed this action in secret (and only this action)`,
    distracted === undefined
      ? null
      : `${listed(distracted)} got distracted and did not realize what happened, without anyone noticing the brief ` +
        'lack of attention, and going back to paying attention immediately after the action was finished',
  ].filter((aside) => aside !== null);
  return asides.length === 0 ? null : `While this action was happening, ${asides.join('; also, ')}.`;
}

/** "Ann", "Ann and Bob", "Ann, Bob and Cyd". */
export function listed(names: readonly string[]): string {
  return names.length < 2
    ? names.join('')
    : `${names.slice(0, -1).join(', ')} and ${names[names.length - 1]}`;
}

const looseForms: [plain: RegExp, loose: string[]][] = [
  [/^(\S+) entered the (.+)\.$/, ['$1 came into the $2 and looked around.', 'Soon $1 stepped into the $2.']],
  [
    /^(\S+) left the (.+)\.$/,
    ['$1 had seen enough and walked out of the $2.', 'After a while $1 slipped out of the $2.'],
  ],
  [
    /^(\S+) moved the (.+?) to the (.+), which is also located in the (.+)\.$/,
    [
      'Without a word $1 put the $2 into the $3 that stood there in the $4.',
      '$1 took the $2 and tucked it into the $3, also there in the $4.',
    ],
  ],
  [
    /^(\S+) moved the (.+?) to the (.+?)(?:, leaving the (.+) in its original location)?\.$/,
    ['$1 picked up the $2 and carried it over to the $3, and stayed there.'],
  ],
  [
    /^(\S+) told privately to (\S+) (.+)\.$/,
    [
      '$1 took $2 aside, so that nobody else could hear, and told $2 $3.',
      'In a message to $2 alone, $1 wrote to $2 $3.',
    ],
  ],
  [/^(\S+) told out loud (.+)\.$/, ['For all in the room to hear, $1 spoke up and told them $2.']],
  [
    /^While this action was happening, (.+)\.$/,
    ['Meanwhile, unnoticed by the others, $1.', 'At that very moment, although nobody could tell, $1.'],
  ],
  [/^(\S+) (painted|polished|scratched|tied|wrapped) (.+)\.$/, ['$1 had some time to spare and $2 $3.']],
];

function loosen(sentence: string, pick: number): string {
  for (const [plain, loose] of looseForms) {
    if (plain.test(sentence)) return sentence.replace(plain, loose[pick % loose.length]);
  }
  return sentence;
}
