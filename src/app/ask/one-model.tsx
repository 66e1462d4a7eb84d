/** What a model answers to one question: its likeliest answer, and some that are drawn. */
import type { Rollout } from '../../run/rollout-record';
import { RolloutCard } from '../rollout-card';

export function OneModel(props: {
  name: string;
  greedy: Rollout;
  sampled: readonly Rollout[];
  temperature: number;
}) {
  const { name, greedy, sampled, temperature } = props;
  const right = sampled.filter(({ reward }) => reward.correct).length;
  return (
    <div class="one-model">
      <RolloutCard rollout={greedy} heading={`${name}: its likeliest answer`} greedy />
      <p class="facts">
        Sampled at temperature {temperature}: {right} of {sampled.length} right.
      </p>
      <ul class="sampled">
        {sampled.map(({ completion, reward, sample }) => (
          <li key={sample}>
            <b class={reward.correct ? 'right' : 'wrong'}>
              {reward.correct ? '✓' : '✗'} {reward.answer ?? 'unreadable'}
            </b>{' '}
            <span class="words">{completion}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
