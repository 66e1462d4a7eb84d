/** Names of data sets and tasks that the results of a run use. A data set of the user never has one of them. */
export const builtInNames: readonly string[] = [
  ...['swap', 'rooms', 'who-knows', 'Who knows'],
  ...['hitom', 'Hi-ToM', '4th-order ToM', 'tomi', 'ToMi'],
  ...['exploretom', 'exploretom-infilled'],
  ...['ExploreToM structured', 'ExploreToM infilled'],
  ...['gsm8k', 'GSM8K'],
];
