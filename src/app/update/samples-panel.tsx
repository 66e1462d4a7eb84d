/** One prompt of a step with its samples: text, reward, and effect of the update. */
import { useSignal } from '@preact/signals';
import type { Rollout } from '../../run/record/rollout-record';
import { signedNumber } from '../ui/numbers';
import { Prompt } from '../story/prompt';
import { RolloutCard } from '../story/rollout-card';
import { Stepper } from '../ui/stepper';
import { Scroll, Table } from '../ui/table';
import { placeIn, type UpdateProps } from './update-panel';

export function SamplesPanel({ batch, rollouts, why }: UpdateProps) {
  /** Index of the chosen prompt; null until the visitor chooses one. */
  const prompt = useSignal<number | null>(null);
  const opened = useSignal<number | null>(null);
  const groups = [...new Set(rollouts.map(({ group }) => group))];
  const prompts = groups.map((name) => rollouts.filter(({ group }) => group === name));
  const index = Math.min(prompt.value ?? promptToShow(prompts), prompts.length - 1);
  const samples = prompts[index];
  const open = samples.find(({ sample }) => sample === opened.value);
  const right = samples.filter(({ reward }) => reward.correct).length;
  return (
    <section class="panel update" aria-labelledby="samples">
      <h2 id="samples">Sample by sample (step {batch.step})</h2>
      {why}
      <div class="panel-head">
        <h3>
          One prompt, {samples.length} samples, {right} right
        </h3>
        <Stepper
          name="prompt"
          index={index}
          count={prompts.length}
          onChange={(next) => (prompt.value = next)}
        />
      </div>
      <Prompt rollout={samples[0]} />
      <Scroll label="Samples of this prompt">
        <Table
          class="samples is-list"
          head={['Sample', 'Completion', 'Answer', 'Reward', 'Advantage']}
          rows={samples.map((rollout) => {
            const { sample } = rollout;
            const { answer, correct, total } = rollout.reward;
            return [
              <button
                aria-expanded={sample === opened.value}
                onClick={() => (opened.value = sample === opened.value ? null : sample)}
              >
                {sample + 1}
                <span class="visually-hidden"> and the parts of its reward</span>
              </button>,
              <span class="words">{rollout.completion.trim()}</span>,
              <span class={correct ? 'right' : 'wrong'}>
                {correct ? '✓' : '✗'} {answer ?? 'unreadable'}
                {rollout.finished ? '' : ', cut off'}
              </span>,
              signedNumber(total),
              signedNumber(batch.advantages[placeIn(batch, rollout)] ?? 0),
            ];
          })}
        />
      </Scroll>
      {open === undefined ? null : <RolloutCard rollout={open} heading={`Sample ${open.sample + 1}`} />}
    </section>
  );
}

/**
 * Index of the first prompt whose samples earned different rewards; the others show no preference of the reward. The
 * first prompt if there is none.
 */
export function promptToShow(prompts: readonly Rollout[][]): number {
  const isTelling = (samples: Rollout[]): boolean =>
    samples.some(({ reward }) => reward.total !== samples[0].reward.total);
  return Math.max(0, prompts.findIndex(isTelling));
}
