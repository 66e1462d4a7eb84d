/** Why reasoning is lost under a reward for answers, as far as it is known. */
import type { Ending } from '../run/ending';
import { Term } from './words/term';

type Loss = Extract<Ending, 'collapsed' | 'decorated'>;

export const whyLostQuestion: Record<Loss | 'either', string> = {
  collapsed: 'Why did the thinking get shorter?',
  decorated: 'Why did the thinking stop mattering?',
  either: 'Why does the thinking get shorter, or stop mattering?',
};

/** What a run that has lost its reasoning is held against. */
export const howToCompare =
  'Compare with another reward, with questions on which the shortcut fails as often as not, or with a start that reasons well.';

/** @param of what became of the run at hand, or of any */
export function WhyLost({ of }: { of: Loss | 'either' }) {
  return (
    <>
      The reward pays for the form and the answer, not for thoughts.{' '}
      {of === 'decorated'
        ? 'Where the shortcut gives most answers, one that takes no notice of its thinking is right as often: '
        : 'Tokens of thinking that do not change the answer earn nothing, and where a shortcut gives most answers the short form is right as often: '}
      a completion’s <Term word="advantage" /> goes to all its tokens alike, so what stands in well-paid
      completions is pushed up, {of === 'decorated' ? 'thoughts that nobody needed' : 'an empty thought'} too.
      Nobody asks for brevity. Whether the thinking shrinks or stays as decoration hangs on the start and on
      chance; more is not known.
    </>
  );
}
