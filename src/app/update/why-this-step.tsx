/** Explains why the panel shows a step other than the slider's. */
import type { ChosenStep } from './choose-step';

const choiceWords: Record<ChosenStep, string> = {
  example: 'here every sample of a prompt moved as its advantage points, or hardly at all',
  telling: 'it is the first at which completions of one prompt were paid differently',
};

export interface WhyThisStepProps {
  batch: { step: number };
  /** Why the page chose this step; null if the visitor chose it, or if no step is a good example. */
  chosen: ChosenStep | null;
  /** Shows the last step; null if it is shown, or if the visitor chose the step. */
  onLatest: (() => void) | null;
  /** Step chosen by the visitor; null without a choice. */
  until: number | null;
}

export function WhyThisStep({ batch: { step }, chosen, onLatest, until }: WhyThisStepProps) {
  if (chosen === null)
    return until === null || until === step ? null : (
      <p class="explain">
        Samples are kept of some steps only: of those up to step {until} this is the last.
      </p>
    );
  return (
    <p class="explain">
      Step {step} was chosen by the page as an example: {choiceWords[chosen]}.{' '}
      {onLatest === null ? null : (
        <button class="inline" onClick={onLatest}>
          Show the last one
        </button>
      )}
    </p>
  );
}
