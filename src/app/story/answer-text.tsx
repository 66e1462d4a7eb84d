/** What a model thinks and answers, in two lines that are read while it trains. */
import type { ComponentChildren } from 'preact';
import type { Answer } from './answers';

/** `start box · ann tin ×2 · so tin`: all statements, those that repeat the one before counted. */
export function statementsOf(thinks: string): string {
  const told: { statement: string; times: number }[] = [];
  for (const statement of thinks.split(';').map((part) => part.trim())) {
    const last = told.at(-1);
    if (last?.statement === statement) last.times++;
    else told.push({ statement, times: 1 });
  }
  return told.map(({ statement, times }) => statement + (times > 1 ? ` ×${times}` : '')).join(' · ');
}

export function AnswerText(props: { answer: Answer; children?: ComponentChildren }) {
  const { thinks, answers, correct } = props.answer;
  return (
    <>
      <p class="thoughts" title={thinks}>
        <span class="quiet">thinks</span>{' '}
        {thinks === '' ? <em>nothing</em> : <span class="thought">{statementsOf(thinks)}</span>}
      </p>
      <p>
        <span class="quiet">answers</span>{' '}
        <b class={correct ? 'right' : 'wrong'}>
          {answers ?? 'unreadable'} {correct ? '✓' : '✗'}
        </b>
        {props.children}
      </p>
    </>
  );
}
