/** A think block as a list of statements, each with whether the simulated world bears it out. */
import type { Rollout } from '../../run/record/rollout-record';
import type { TraceStatement } from '../../reward/types';

export const signs: Record<TraceStatement['verdict'], { sign: string; word: string }> = {
  true: { sign: '✓', word: 'true' },
  false: { sign: '✗', word: 'false' },
  unread: { sign: '?', word: 'could not be read' },
};

export function Thinking({ rollout }: { rollout: Rollout }) {
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
