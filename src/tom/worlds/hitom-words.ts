/**
 * The words that Hi-ToM's stories are told in. `hitom` takes lists of our own; `hitom-short` and `hitom-long` take those
 * of the published stories (Wu et al. 2023, Apache-2.0), so that a model with a vocabulary of whole words can read these.
 */
import { ANIMALS, BELONGINGS, CONTAINERS, FOOD, PEOPLE, ROOMS } from './names';

export interface HiTomWords {
  people: readonly string[];
  rooms: readonly string[];
  containers: readonly string[];
  food: readonly string[];
  /** What somebody may be said to have seen or lost, as "saw a cat". */
  incidents: readonly (readonly string[])[];
}

export const ownWords: HiTomWords = {
  people: PEOPLE,
  rooms: ROOMS,
  containers: CONTAINERS,
  food: FOOD,
  incidents: [ANIMALS.map((animal) => `saw a ${animal}`), BELONGINGS.map((thing) => `lost a ${thing}`)],
};

export const publishedWords: HiTomWords = {
  people:
    'Abigail Aiden Alexander Amelia Ava Avery Benjamin Carter Charlotte Chloe Elizabeth Ella Emily Emma Evelyn Hannah Isabella Isla Jack Jackson Jacob Liam Lily Logan Mila Nathan Noah Owen Sophia William'.split(
      ' ',
    ),
  rooms:
    'attic back_yard basement bathroom bedroom cellar closet crawlspace den dining_room front_yard garage garden hall hallway kitchen laundry living_room lounge master_bedroom office pantry patio playroom porch staircase study sunroom workshop'.split(
      ' ',
    ),
  containers: [
    ...colours('red', 'basket bottle box bucket container crate drawer envelope pantry'),
    ...colours(
      'green',
      'basket bathtub bottle box bucket crate cupboard drawer envelope pantry treasure_chest',
    ),
    ...colours(
      'blue',
      'bathtub bottle bucket container crate cupboard drawer pantry suitcase treasure_chest',
    ),
  ],
  food: 'apple asparagus banana beans cabbage carrot cherry corn cucumber eggplant grapes green_pepper lemon lettuce lime melon onion orange peach pear peas persimmon plum potato spinach sweet_potato tangerine tomato turnip watermelon'.split(
    ' ',
  ),
  incidents: [
    ['saw a cat', 'saw a dog', 'saw a monkey', 'saw a mouse'],
    ['lost his gloves', 'lost his phone', 'lost his watch'],
  ],
};

function colours(colour: string, kinds: string): string[] {
  return kinds.split(' ').map((kind) => `${colour}_${kind}`);
}
