/** Explains why the panel shows a step other than the slider's. */
export interface WhyThisStepProps {
  batch: { step: number };
  /** Why the page chose this step as an example; null if it did not. */
  reason: string | null;
  /** Shows the last step; null if it is shown, or if the visitor chose the step. */
  onLatest: (() => void) | null;
  /** Step chosen by the visitor; null without a choice. */
  until: number | null;
}

export function WhyThisStep({ batch: { step }, reason, onLatest, until }: WhyThisStepProps) {
  if (reason === null)
    return until === null || until === step ? null : (
      <p class="explain">
        Samples are kept of some steps only: of those up to step {until} this is the last.
      </p>
    );
  return (
    <p class="explain">
      Step {step} was chosen by the page as an example: {reason}.{' '}
      {onLatest === null ? null : (
        <button class="inline" onClick={onLatest}>
          Show the last one
        </button>
      )}
    </p>
  );
}
