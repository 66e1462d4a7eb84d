/** What a model thinks and answers, in two lines that are read while it trains. */
import type { ComponentChildren } from 'preact';
import type { Answer } from '../ladder/rung';

/** `box · bag · … · so bag`: the first statement and the last, for much of it repeats. */
export function shortThought(thinks: string): string {
  const statements = thinks.split(';').map((statement) => statement.trim());
  if (statements.length < 3) return statements.join(' · ');
  return `${statements[0]} · … · ${statements[statements.length - 1]}`;
}

export function AnswerText(props: { answer: Answer; children?: ComponentChildren }) {
  const { thinks, answers, correct } = props.answer;
  return (
    <>
      <p>
        <span class="quiet">thinks</span>{' '}
        {thinks === '' ? (
          <em>nothing</em>
        ) : (
          <span class="thought" title={thinks}>
            {shortThought(thinks)}
          </span>
        )}
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
