/** Why reasoning is lost, as far as it is known, by what the run's reward pays. */
import type { Paying } from '../../run/config/reward-bounds';
import type { Loss } from '../../run/verdict/ending';
import { paysLength, paysTrueStatements } from '../words/paying';

export function whyLostQuestion(of: Loss): string {
  return of === 'stops thinking'
    ? 'Why did the thinking get shorter?'
    : 'Why did the thinking stop mattering?';
}

/** What a run that has lost its reasoning is held against. */
export function howToCompare(paying: Paying): string {
  const other = paysTrueStatements(paying) ? 'a reward for the answer alone' : 'another reward';
  return `Compare with ${other}, with questions on which the shortcut fails as often as not, or with a start that reasons well.`;
}

export function WhyLost({ of, paying }: { of: Loss; paying: Paying }) {
  const goesOn = of === 'goes on writing, no longer thinks';
  const credit = 'a completion’s advantage goes to all its tokens alike';
  if (paysTrueStatements(paying)) {
    return (
      <>
        This reward pays for thoughts: up to 2 for true statements that the question needs, and up to 1 for a
        right answer, as far as the trace is true. It does not ask whether the answer comes from the trace. A
        right answer by the shortcut, after true statements, is paid in full; a wrong one loses 1 of 4. And{' '}
        {credit}.{' '}
        {goesOn
          ? ''
          : 'False statements cost up to 0.5, so a trace of little but false ones earns less than an empty one. '}
        Whether that is why this run went as it did, nobody has tested.
      </>
    );
  }
  return (
    <>
      {paysLength(paying)
        ? 'The reward pays for the form, the answer and the length of the thoughts, not for what they say. '
        : 'The reward pays for the form and the answer, not for thoughts. '}
      {goesOn
        ? 'Where the shortcut gives most answers, one that takes no notice of its thinking is right nearly as often: '
        : paysLength(paying)
          ? 'Where a shortcut gives most answers, thoughts that do not change the answer earn no less than others: '
          : 'Tokens of thinking that do not change the answer earn nothing, and where a shortcut gives most answers the short form is right as often: '}
      {credit}, so what stands in well-paid completions is pushed up,{' '}
      {goesOn ? 'thoughts that nobody needed' : 'an empty thought'} too.{' '}
      {paysLength(paying) ? '' : 'Nobody asks for brevity. '}Whether the thinking is kept hangs on the start:
      of the runs counted so far those kept it that were right on nearly all hard questions before, and hardly
      any other.
    </>
  );
}
