/** The words of the generated stories: our own lists, each long enough for millions of distinct stories. */
import type { Random } from '../../base/random';

/** Distinct words in random order; quicker than a shuffle where the list is long and few are wanted. */
export function drawWords(random: Random, words: readonly string[], count: number): string[] {
  const drawn = new Set<string>();
  while (drawn.size < count) drawn.add(random.choice(words));
  return [...drawn];
}

export const PEOPLE =
  'Abel Amara Anouk Basil Bruno Celia Clara Dario Delia Edgar Elif Farid Fiona Greta Hugo Ida Ilya Jonas Kaya Leila Lucia Malik Marta Nadia Oscar Petra Rafael Selma Tomas Vera'.split(
    ' ',
  );

export const ROOMS =
  'attic balcony barn bathroom bedroom cabin cellar classroom conservatory corridor den dining_room dormitory garage garden gym hallway kitchen laundry library loft lounge nursery office pantry playroom porch study terrace workshop'.split(
    ' ',
  );

export const FOOD =
  'apple apricot aubergine avocado banana beetroot cabbage carrot celery cherry courgette fig ginger grape leek lemon mango melon olive onion peach pear pepper plum potato pumpkin quince radish spinach turnip'.split(
    ' ',
  );

const COLOURS = ['black', 'blue', 'green', 'orange', 'red', 'white', 'yellow'];
const KINDS =
  'bag barrel basket bin bottle bowl box bucket cabinet crate drawer envelope jar pot sack suitcase tin tub'.split(
    ' ',
  );

/** `colour_kind`, as Hi-ToM and ToMi write them: 126 containers. */
export const CONTAINERS = COLOURS.flatMap((colour) => KINDS.map((kind) => `${colour}_${kind}`));

export const ANIMALS = [
  'badger',
  'bat',
  'cat',
  'dog',
  'fox',
  'hedgehog',
  'mouse',
  'pigeon',
  'squirrel',
  'wasp',
];
export const BELONGINGS = ['glove', 'hat', 'key', 'pencil', 'phone', 'scarf', 'ticket', 'wallet', 'watch'];

/** ExploreToM's kind of scene: things, containers and rooms in more words than one. */
export const HALLS = [
  'back office',
  'boat house',
  'briefing room',
  'camera room',
  'coffee corner',
  'control room',
  'costume room',
  'ferry lounge',
  'front desk',
  'green room',
  'map room',
  'mixing studio',
  'night shelter',
  'print shop',
  'reading room',
  'seed store',
  'spice market',
  'staff kitchen',
  'ticket hall',
  'tool shed',
];
export const THINGS = [
  'brass compass',
  'copper kettle',
  'field notebook',
  'glass marble',
  'guest list',
  'harbour chart',
  'music box',
  'pocket lamp',
  'postage stamp',
  'seed packet',
  'signet ring',
  'silver whistle',
  'spare fuse',
  'tuning fork',
  'velvet ribbon',
  'wooden flute',
];
export const CASES = [
  'canvas bag',
  'cardboard box',
  'ceramic jar',
  'cork case',
  'felt pouch',
  'glass cabinet',
  'leather case',
  'linen sack',
  'metal locker',
  'paper bag',
  'plastic crate',
  'steel safe',
  'straw basket',
  'tin chest',
  'wicker hamper',
  'wooden trunk',
];
export const TOPICS = [
  'autumn fair',
  'ferry strike',
  'fire drill',
  'garden party',
  'night shift',
  'new schedule',
  'school concert',
  'street market',
];
/** What can be done to a thing without moving it; `{}` is the thing. */
export const CHANGES = [
  'painted the {} blue',
  'painted the {} green',
  'polished the {} with wax',
  'scratched a star into the {}',
  'tied a red string around the {}',
  'wrapped the {} in foil',
];
