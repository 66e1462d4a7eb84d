/** Why reasoning is lost under a reward for answers, as far as it is known. */
export const whyLostQuestion = 'Why does the thinking get shorter, or stop mattering?';

/** What a run that has lost its reasoning is held against. */
export const howToCompare =
  'Compare with the faithful reward, de-biased questions, or a start that reasons well.';

export function WhyLost() {
  return (
    <>
      The reward pays for the form and the answer, not for thoughts. Tokens of thinking that do not change the
      answer earn nothing, and where a shortcut gives most answers the short form is right as often. A
      completion’s advantage goes to all its tokens alike: what stands in well-paid completions is pushed up,
      an empty thought too. Nobody asks for brevity. Whether the thinking shrinks or stays as decoration hangs
      on the start and on chance; more is not known.
    </>
  );
}
