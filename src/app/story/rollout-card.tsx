/** One completion: its reasoning with each statement checked against the world, its answer, its reward. */
import type { Rollout } from '../../run/record/rollout-record';
import { counted, signedNumber } from '../ui/numbers';
import { Table } from '../ui/table';
import { Pinned } from './story-picture';

export function RolloutCard(props: {
  rollout: Rollout;
  heading: string;
  /** True for a greedy answer of an evaluation. It has no advantage, since nothing is learned from it. */
  greedy?: boolean;
}) {
  const { rollout, heading, greedy = false } = props;
  const { reward } = rollout;
  return (
    <article class="rollout stack framed">
      <header class="spread">
        <h3>{heading}</h3>
        <span class="quiet small">
          {counted(rollout.tokens, 'token')}
          {rollout.finished ? '' : ', cut off'}
        </span>
      </header>
      <div class="thinking">
        <span class="quiet small">thinks</span>
        <Thinking rollout={rollout} />
      </div>
      <div class="answer">
        <span class="quiet small">answers</span>
        <span>
          <b class={reward.correct ? 'right' : 'wrong'}>{reward.answer ?? 'nothing that can be read'}</b>
          {reward.correct ? ' (right)' : ` (wrong: it is ${rollout.goldAnswer})`}
        </span>
      </div>
      <Table
        class="quiet small"
        head={['Reward', 'points', 'why']}
        rows={[
          ...reward.parts.map(({ name, value, reason }) => [name, signedNumber(value), reason]),
          [
            'total',
            <b>{signedNumber(reward.total)}</b>,
            greedy ? '' : `advantage ${signedNumber(rollout.advantage)}`,
          ],
        ]}
      />
    </article>
  );
}

function Thinking({ rollout }: { rollout: Rollout }) {
  const { think, trace } = rollout.reward;
  if (think.trim() === '') return <em>nothing at all</em>;
  if (trace === null || trace.statements.length === 0) return <span class="words">{think}</span>;
  return (
    <div class="statements row tight">
      <Pinned pins={trace.statements} />
    </div>
  );
}
