/** The words of the stories: our own lists, long enough for millions of distinct stories, and Hi-ToM's. */
import type { Random } from '../../base/random';

/** Draws distinct words in random order; faster than a shuffle for few words from a long list. */
export function drawWords(random: Random, words: readonly string[], count: number): string[] {
  const drawn = new Set<string>();
  while (drawn.size < count) drawn.add(random.choice(words));
  return [...drawn];
}

const words = (list: string): string[] => list.split(' ');
const phrases = (list: string): string[] => list.split(', ');
/** `colour_kind`, as Hi-ToM and ToMi write containers. */
const coloured = (colour: string, kinds: string): string[] => words(kinds).map((kind) => `${colour}_${kind}`);

export const PEOPLE = words(
  'Abel Amara Anouk Basil Bruno Celia Clara Dario Delia Edgar Elif Farid Fiona Greta Hugo Ida Ilya Jonas Kaya Leila Lucia Malik Marta Nadia Oscar Petra Rafael Selma Tomas Vera',
);

export const ROOMS = words(
  'attic balcony barn bathroom bedroom cabin cellar classroom conservatory corridor den dining_room dormitory garage garden gym hallway kitchen laundry library loft lounge nursery office pantry playroom porch study terrace workshop',
);

export const FOOD = words(
  'apple apricot aubergine avocado banana beetroot cabbage carrot celery cherry courgette fig ginger grape leek lemon mango melon olive onion peach pear pepper plum potato pumpkin quince radish spinach turnip',
);

const KINDS =
  'bag barrel basket bin bottle bowl box bucket cabinet crate drawer envelope jar pot sack suitcase tin tub';

/** 126 words. */
export const CONTAINERS = words('black blue green orange red white yellow').flatMap((colour) =>
  coloured(colour, KINDS),
);

/** Common single words, so that a pretrained tokenizer needs few tokens for each. */
export const PLAIN_CONTAINERS = words(KINDS);
export const KEEPSAKES = words(
  'ball book brush card coin cup hat key lamp letter map pen ring scarf spoon toy',
);

/** Scenes as in ExploreToM: things, containers and rooms with names of several words. */
export const HALLS = phrases(
  'back office, boat house, briefing room, camera room, coffee corner, control room, costume room, ferry lounge, front desk, green room, map room, mixing studio, night shelter, print shop, reading room, seed store, spice market, staff kitchen, ticket hall, tool shed',
);
export const THINGS = phrases(
  'brass compass, copper kettle, field notebook, glass marble, guest list, harbour chart, music box, pocket lamp, postage stamp, seed packet, signet ring, silver whistle, spare fuse, tuning fork, velvet ribbon, wooden flute',
);
export const CASES = phrases(
  'canvas bag, cardboard box, ceramic jar, cork case, felt pouch, glass cabinet, leather case, linen sack, metal locker, paper bag, plastic crate, steel safe, straw basket, tin chest, wicker hamper, wooden trunk',
);
export const TOPICS = phrases(
  'autumn fair, ferry strike, fire drill, garden party, night shift, new schedule, school concert, street market',
);
/** Changes to a thing that do not move it; `{}` is the thing. */
export const CHANGES = phrases(
  'painted the {} blue, painted the {} green, polished the {} with wax, scratched a star into the {}, tied a red string around the {}, wrapped the {} in foil',
);

export interface HiTomWords {
  people: readonly string[];
  rooms: readonly string[];
  containers: readonly string[];
  food: readonly string[];
  /** Things that a person saw or lost, such as "saw a cat". */
  incidents: readonly (readonly string[])[];
}

/** Our own lists, for `hitom`. */
export const ownWords: HiTomWords = {
  people: PEOPLE,
  rooms: ROOMS,
  containers: CONTAINERS,
  food: FOOD,
  incidents: [
    words('badger bat cat dog fox hedgehog mouse pigeon squirrel wasp').map((animal) => `saw a ${animal}`),
    words('glove hat key pencil phone scarf ticket wallet watch').map((thing) => `lost a ${thing}`),
  ],
};

/**
 * The words of the published stories (Wu et al. 2023, Apache-2.0), for `hitom-short`: a model with a word-level
 * vocabulary can then read the published stories.
 */
export const publishedWords: HiTomWords = {
  people: words(
    'Abigail Aiden Alexander Amelia Ava Avery Benjamin Carter Charlotte Chloe Elizabeth Ella Emily Emma Evelyn Hannah Isabella Isla Jack Jackson Jacob Liam Lily Logan Mila Nathan Noah Owen Sophia William',
  ),
  rooms: words(
    'attic back_yard basement bathroom bedroom cellar closet crawlspace den dining_room front_yard garage garden hall hallway kitchen laundry living_room lounge master_bedroom office pantry patio playroom porch staircase study sunroom workshop',
  ),
  containers: [
    ...coloured('red', 'basket bottle box bucket container crate drawer envelope pantry'),
    ...coloured(
      'green',
      'basket bathtub bottle box bucket crate cupboard drawer envelope pantry treasure_chest',
    ),
    ...coloured(
      'blue',
      'bathtub bottle bucket container crate cupboard drawer pantry suitcase treasure_chest',
    ),
  ],
  food: words(
    'apple asparagus banana beans cabbage carrot cherry corn cucumber eggplant grapes green_pepper lemon lettuce lime melon onion orange peach pear peas persimmon plum potato spinach sweet_potato tangerine tomato turnip watermelon',
  ),
  incidents: [
    ['saw a cat', 'saw a dog', 'saw a monkey', 'saw a mouse'],
    ['lost his gloves', 'lost his phone', 'lost his watch'],
  ],
};
