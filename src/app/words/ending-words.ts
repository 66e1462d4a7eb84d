/** What a run's ending is called: in lists and as a sentence. */
import type { Ending, Standing } from '../../run/verdict/ending';

/** The ending in a few words, for lists of runs. Since which test it is told; what it speaks of may have come before. */
export function endingWords({ ending, since, step, provisional, silent }: Standing): string {
  const remarks = [
    silent && ending !== 'stops thinking' ? 'fell silent' : '',
    since === null || since === step ? '' : `since the test at step ${since}`,
    provisional ? 'so far' : '',
  ];
  const said = remarks.filter((remark) => remark !== '').join(', ');
  return said === '' ? ending : `${ending} (${said})`;
}

const sentences: Record<Ending, string> = {
  'thinks better': 'It thinks better',
  'keeps thinking': 'It keeps thinking',
  'goes on writing, no longer thinks': 'It goes on writing and no longer thinks',
  'stops thinking': 'It stops thinking',
  'cannot be told': 'It cannot be told',
};

export function endingSentence({ ending, silent }: Pick<Standing, 'ending' | 'silent'>): string {
  if (!silent || ending === 'stops thinking') return sentences[ending];
  return ending === 'cannot be told'
    ? 'It falls silent; whether it thought before cannot be told'
    : `${sentences[ending]}, in fewer words`;
}
