/** The orders and settings that the generators support, as plain data, for code that does not need the generators. */

/** Orders of belief, by generator name. */
export const worldOrders = {
  swap: [0, 1, 2, 3, 4],
  hitom: [0, 1, 2, 3, 4],
  'hitom-short': [0, 1, 2, 3, 4],
  tomi: [0, 1, 2],
  exploretom: [0, 1, 2],
  'exploretom-infilled': [0, 1, 2],
  'hitom-exploretom': [0, 1, 2, 3, 4],
  rooms: [1, 2],
  'who-knows': [1],
  'hitom-who-knows': [0, 1, 2, 3, 4],
  'exploretom-who-knows': [0, 1, 2],
  'hitom-exploretom-who-knows': [0, 1, 2, 3, 4],
  'hitom-short-factual': [0, 1, 2, 3, 4],
} as const satisfies Record<string, readonly number[]>;

export type WorldName = keyof typeof worldOrders;

export const isWorldName = (source: string): source is WorldName => Object.hasOwn(worldOrders, source);

/** Default settings of `rooms`. */
export const roomsDefaults = { rho: 0.9, people: 3, containers: 4, moves: 5 } as const;

/** Minimum and maximum. */
export const roomsRanges = { rho: [0, 1], people: [2, 5], containers: [3, 6], moves: [2, 8] } as const;

/** The tasks of the held-out evaluation. */
export const heldOutTasks: readonly WorldName[] = ['hitom', 'tomi', 'exploretom', 'exploretom-infilled'];

/** The data set of each built-in task, by the name of its row of the results. A data set of the user never has one of these names. */
export const builtInTasks = {
  swap: 'swap',
  rooms: 'rooms',
  'Hi-ToM': 'hitom',
  '4th-order ToM': 'hitom',
  ToMi: 'tomi',
  'ExploreToM structured': 'exploretom',
  'ExploreToM infilled': 'exploretom-infilled',
  'Who knows': 'who-knows',
  GSM8K: 'gsm8k',
} as const;
