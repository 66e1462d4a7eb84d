/** One prompt of a step with its samples: text, reward, and effect of the update. */
import { useSignal } from '@preact/signals';
import { signedNumber } from '../ui/numbers';
import { Prompt } from '../story/prompt';
import { RolloutCard } from '../story/rollout-card';
import { Stepper } from '../ui/stepper';
import { Scroll, Table } from '../ui/table';
import { byPrompt, groupToShow, placeIn } from './prompt-groups';
import { largestOf, likelihoodRatio, ratioWords } from './token-figures';
import { Tokens, TokenTable } from './tokens';
import type { UpdateProps } from './update-panel';

/** Maximum number of listed samples of a prompt, since a row has an element for each token. */
const MOST_ROWS = 16;

export function SamplesPanel({ batch, rollouts, why }: UpdateProps) {
  const { advantages } = batch;
  const largest = largestOf(advantages);
  /** Index of the chosen prompt; null until the visitor chooses one. */
  const prompt = useSignal<number | null>(null);
  const opened = useSignal<number | null>(null);
  const prompts = byPrompt(rollouts);
  const first = groupToShow(rollouts);
  const usual = prompts.findIndex(([{ group }]) => group === first);
  const index = Math.min(prompt.value ?? usual, prompts.length - 1);
  const samples = prompts[index];
  const hasChanges = samples.some(({ byToken }) => byToken !== undefined);
  const open = samples.find(({ sample }) => sample === opened.value);
  const right = samples.filter(({ reward }) => reward.correct).length;
  return (
    <section class="panel update" aria-labelledby="samples">
      <h2 id="samples">Sample by sample (step {batch.step})</h2>
      {why}
      <div class="pair stack">
        <div class="panel-head">
          <h3>
            One prompt, {samples.length} samples, {right} right
            {samples.length > MOST_ROWS ? `; the first ${MOST_ROWS} are listed` : ''}
          </h3>
          <Stepper
            name="prompt"
            index={index}
            count={prompts.length}
            onChange={(next) => (prompt.value = next)}
          />
        </div>
        <Prompt rollout={samples[0]} />
        {hasChanges ? null : (
          <p class="facts">
            The changes of single tokens are stored for two prompts of each step (for one in a recording), and
            this prompt is not among them.
          </p>
        )}
        <Scroll label="Samples of this prompt">
          <Table
            class="samples is-list"
            head={[
              ...['Sample', 'Tokens, underlined by advantage', 'Answer', 'Reward', 'Advantage'],
              ...(hasChanges ? ['As likely as before'] : []),
            ]}
            rows={samples.slice(0, MOST_ROWS).map((rollout) => {
              const { sample, byToken } = rollout;
              const { answer, correct, total } = rollout.reward;
              const advantage = advantages[placeIn(batch, rollout)] ?? 0;
              return [
                <button
                  aria-expanded={sample === opened.value}
                  onClick={() => (opened.value = sample === opened.value ? null : sample)}
                >
                  {sample + 1}
                  <span class="visually-hidden"> and the parts of its reward</span>
                </button>,
                <Tokens {...{ rollout, advantage, largest }} />,
                <span class={correct ? 'right' : 'wrong'}>
                  {correct ? '✓' : '✗'} {answer ?? 'unreadable'}
                  {rollout.finished ? '' : ', cut off'}
                </span>,
                signedNumber(total),
                signedNumber(advantage),
                ...(hasChanges ? [byToken === undefined ? '' : ratioWords(likelihoodRatio(byToken))] : []),
              ];
            })}
          />
        </Scroll>
        {open === undefined ? null : <RolloutCard rollout={open} heading={`Sample ${open.sample + 1}`} />}
        {open?.byToken === undefined ? null : <TokenTable changes={open.byToken} />}
      </div>
    </section>
  );
}
