/** One completion as it stands: its reasoning with each statement held against the world, its answer, its reward. */
import type { Rollout } from '../run/events';
import type { TraceStatement } from '../reward/types';

const signs: Record<TraceStatement['verdict'], { sign: string; word: string }> = {
  true: { sign: '✓', word: 'true' },
  false: { sign: '✗', word: 'false' },
  unread: { sign: '?', word: 'could not be read' },
};

function signed(value: number): string {
  const rounded =
    Math.abs(value) < 0.005
      ? '0'
      : Math.abs(value)
          .toFixed(2)
          .replace(/\.?0+$/, '');
  return value < 0 && rounded !== '0' ? `−${rounded}` : `+${rounded}`;
}

export function RolloutCard(props: {
  rollout: Rollout;
  heading: string;
  /** A greedy answer of an evaluation: nothing is learned from it, so it has no advantage. */
  greedy?: boolean;
}) {
  const { rollout, heading, greedy = false } = props;
  const { reward } = rollout;
  return (
    <article class="rollout">
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
              <td class="number">{signed(part.value)}</td>
              <td>{part.reason}</td>
            </tr>
          ))}
          <tr class="total">
            <th scope="row">reward</th>
            <td class="number">{signed(reward.total)}</td>
            <td>{greedy ? '' : `advantage ${signed(rollout.advantage)}`}</td>
          </tr>
        </tbody>
      </table>
    </article>
  );
}

function Thinking({ rollout }: { rollout: Rollout }) {
  const { think, trace } = rollout.reward;
  if (think.trim() === '') return <em>nothing at all</em>;
  if (trace === null || trace.statements.length === 0) return <span class="words">{think}</span>;
  return (
    <ul class="statements">
      {trace.statements.map((statement, index) => (
        <li key={index} class={`verdict-${statement.verdict}`} title={signs[statement.verdict].word}>
          <span aria-hidden="true">{signs[statement.verdict].sign}</span> {statement.text}
          <span class="visually-hidden"> ({signs[statement.verdict].word})</span>
        </li>
      ))}
    </ul>
  );
}
