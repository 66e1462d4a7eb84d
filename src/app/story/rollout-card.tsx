/** One completion as it stands: its reasoning with each statement held against the world, its answer, its reward. */
import type { Rollout } from '../../run/record/rollout-record';
import { signedNumber } from '../ui/numbers';
import { Thinking } from './thinking';

export function RolloutCard(props: {
  rollout: Rollout;
  heading: string;
  /** A greedy answer of an evaluation: nothing is learned from it, so it has no advantage. */
  greedy?: boolean;
}) {
  const { rollout, heading, greedy = false } = props;
  const { reward } = rollout;
  return (
    <article class="rollout stack framed">
      <header>
        <h3>{heading}</h3>
        <span class="tokens">
          {rollout.tokens === 1 ? '1 token' : `${rollout.tokens} tokens`}
          {rollout.finished ? '' : ', cut off'}
        </span>
      </header>
      <div class="thinking">
        <span class="tag">thinks</span>
        <Thinking rollout={rollout} />
      </div>
      <div class="answer">
        <span class="tag">answers</span>
        <span>
          <b class={reward.correct ? 'right' : 'wrong'}>{reward.answer ?? 'nothing that can be read'}</b>
          {reward.correct ? ' (right)' : ` (wrong: it is ${rollout.goldAnswer})`}
        </span>
      </div>
      <table class="parts">
        <caption class="visually-hidden">Reward of this completion</caption>
        <tbody>
          {reward.parts.map((part) => (
            <tr key={part.name}>
              <th scope="row">{part.name}</th>
              <td class="number">{signedNumber(part.value)}</td>
              <td>{part.reason}</td>
            </tr>
          ))}
          <tr class="total">
            <th scope="row">reward</th>
            <td class="number">{signedNumber(reward.total)}</td>
            <td>{greedy ? '' : `advantage ${signedNumber(rollout.advantage)}`}</td>
          </tr>
        </tbody>
      </table>
    </article>
  );
}
