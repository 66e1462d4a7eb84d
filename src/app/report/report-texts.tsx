/** What the model wrote at the beginning and at the end, side by side. */
import type { Rollout } from '../../run/record/rollout-record';
import type { Evaluation } from '../../run/record/evaluation';
import { answeredTwice } from '../story/clearest-change';
import { RolloutCard } from '../story/rollout-card';
import { Prompt } from '../story/prompt';

const shownQuestions = 3;
const shownSamples = 2;

/** Questions of the fixed set that were answered at the first and at the last evaluation. */
export function PairedAnswers({ evaluations }: { evaluations: readonly Evaluation[] }) {
  const [first] = evaluations;
  const last = evaluations.at(-1);
  if (last === undefined || first === last) return null;
  const pairs = answeredTwice(first, last);
  if (pairs.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="paired-answers">
      <h2 id="paired-answers">The same questions, first and last</h2>
      <p class="explain">Greedy answers to the first questions of the fixed set, not chosen by hand.</p>
      {pairs.slice(0, shownQuestions).map(({ before, after }) => (
        <div key={before.itemId} class="pair stack">
          <Prompt rollout={before} />
          <div class="side-by-side">
            <RolloutCard rollout={before} heading={`Step ${first.report.step}`} greedy />
            <RolloutCard rollout={after} heading={`Step ${last.report.step}`} greedy />
          </div>
        </div>
      ))}
    </section>
  );
}

/** The first samples of the first and of the last step whose rollouts are kept. */
export function SampledAnswers({ first, last }: { first: readonly Rollout[]; last: readonly Rollout[] }) {
  const steps = [first, ...(last[0]?.step === first[0]?.step ? [] : [last])];
  if (first.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="sampled-answers">
      <h2 id="sampled-answers">Sampled while training</h2>
      {steps.map((rollouts) => (
        <div key={rollouts[0].step} class="pair stack">
          <h3>Step {rollouts[0].step}</h3>
          <Prompt rollout={rollouts[0]} />
          <div class="side-by-side">
            {rollouts.slice(0, shownSamples).map((rollout) => (
              <RolloutCard key={rollout.sample} rollout={rollout} heading={`Sample ${rollout.sample + 1}`} />
            ))}
          </div>
        </div>
      ))}
    </section>
  );
}
