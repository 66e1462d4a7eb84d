/** Explains the ending of a run: rewards as dots, and one question before and after as a picture. */
import { paidStep } from '../../run/recording/step-batch';
import { standingOf } from '../../run/verdict/ending';
import type { RunView } from '../session/run-view';
import { FirstAndNow } from '../story/rollouts';
import { WhatPaid } from '../verdict/what-paid';

export function Why({ view }: { view: RunView }) {
  const { config, paid, rolloutSteps, rolloutsAt } = view;
  const evaluations = view.evaluations.value;
  const ending = standingOf(evaluations)?.ending;
  return (
    <div class="why">
      <WhatPaid
        steps={paid.length > 0 ? paid.map(({ step }) => step) : rolloutSteps.value}
        paying={config}
        load={async (step) => paid.find((one) => one.step === step) ?? paidStep(step, await rolloutsAt(step))}
      />
      <FirstAndNow evaluations={evaluations} ending={ending} />
    </div>
  );
}
