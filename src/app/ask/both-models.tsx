/** What a model answers to one question before and after its training: the likeliest answer, and some that are drawn. */
import type { AnsweredQuestion } from '../../../workers/protocol';
import type { Rollout } from '../../run/record/rollout-record';
import { deviceWord } from '../ui/device';
import { RolloutCard } from '../story/rollout-card';

export function BothModels({ start, now, temperature }: AnsweredQuestion & { temperature: number }) {
  return (
    <div class="side-by-side">
      <OneModel name="Before training" {...start} temperature={temperature} />
      {now === null ? (
        <p class="empty">Run it on this {deviceWord()}, and its answer after training stands here.</p>
      ) : (
        <OneModel
          name={`After ${now.step} ${now.step === 1 ? 'step' : 'steps'}`}
          {...now}
          temperature={temperature}
        />
      )}
    </div>
  );
}

function OneModel(props: {
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
