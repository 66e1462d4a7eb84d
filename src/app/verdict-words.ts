/** The verdict's ending as a sentence. */
import type { Ending } from '../run/ending';

export const endingHeadlines: Record<Ending, string> = {
  'reasons better': 'It reasons better than at the start',
  collapsed: 'The reasoning has collapsed',
  decorated: 'The trace is decoration: it stays and no longer matters',
  undetermined: 'Undetermined',
};
