/** A completion token by token, shaded by the advantage of each token or by the update's effect on it. */
import { Fragment } from 'preact';
import { mean } from '../../base/statistics';
import type { Rollout, TokenChanges } from '../../run/record/rollout-record';
import { Scroll, Table } from '../ui/table';
import { plainNumber, signedNumber } from '../ui/numbers';
import { signs } from '../story/answers';
import { advantageColour, changesOf, tokenProbability } from './token-figures';

export type Shading = 'advantage' | 'change';

export interface TokensProps {
  rollout: Rollout;
  shading: Shading;
  /** Advantage of the whole completion. */
  advantage: number;
  /** Value with the full colour: the largest advantage or the largest change. */
  largest: number;
}

/** Longer completions are shaded as a whole. */
const mostTokens = 300;
/** Average characters per token. A completion longer than `mostTokens` of these is not split. */
const mostCharacters = 30;

/** In the small worlds a token is a word, and `;` ends a statement. */
export function Tokens(props: TokensProps) {
  const { rollout, shading, advantage, largest } = props;
  const { completion, byToken } = rollout;
  const split =
    completion.length > mostTokens * mostCharacters
      ? []
      : (byToken?.texts ?? completion.split(/(?=\s)/).filter((text) => text.trim() !== ''));
  const isWhole = split.length === 0 || split.length > mostTokens;
  const texts = isWhole ? [completion] : split;
  const changes = byToken === undefined ? [0] : changesOf(byToken);
  const whole = shading === 'change' ? mean(changes) : advantage;
  const shades = isWhole ? [whole] : shadesOf(props, texts.length);
  const starts = statementStarts(texts, rollout);
  return (
    <span class="tokens-of">
      {texts.map((text, i) => {
        const verdict = starts.get(i);
        return (
          <Fragment key={i}>
            {/\s$/.test(texts[i - 1] ?? '') || /^\s/.test(text) ? ' ' : null}
            {verdict === undefined ? null : (
              <b class={`verdict-${verdict}`} title={signs[verdict].word}>
                <span aria-hidden="true">{signs[verdict].sign}</span>
                <span class="visually-hidden">({signs[verdict].word}:) </span>
              </b>
            )}
            <span
              style={{ '--shade': advantageColour(shades[i], largest) }}
              title={byToken === undefined || isWhole ? undefined : tokenWords(byToken, i)}
            >
              {text.trim()}
            </span>
          </Fragment>
        );
      })}
    </span>
  );
}

function shadesOf({ rollout: { byToken }, shading, advantage }: TokensProps, count: number): number[] {
  if (byToken !== undefined && shading === 'change') return changesOf(byToken);
  if (shading === 'change') return new Array<number>(count).fill(0);
  return byToken?.advantages ?? new Array<number>(count).fill(advantage);
}

/** Verdict of each statement, by the index of its first token; empty if `;` does not separate the statements. */
function statementStarts(texts: readonly string[], { reward }: Rollout) {
  const words = texts.map((text) => text.trim());
  const thought = Math.max(0, words.indexOf('</think>'));
  const statements = reward.trace?.statements ?? [];
  const starts = words.flatMap((_, i) => (i < thought && (i === 0 || words[i - 1] === ';') ? [i] : []));
  const isMarked = starts.length === statements.length;
  return new Map(isMarked ? starts.map((start, i) => [start, statements[i].verdict] as const) : []);
}

function tokenWords(changes: TokenChanges, i: number): string {
  const { advantages, before, after } = changes;
  return `advantage ${signedNumber(advantages[i])}; probability ${tokenProbability(before[i])} → ${tokenProbability(after[i])}`;
}

export function TokenTable({ changes }: { changes: TokenChanges }) {
  const { texts, advantages, before, after } = changes;
  return (
    <details>
      <summary>Token by token: advantage, and probability before and after the update</summary>
      <Scroll label="Tokens of this completion">
        <Table
          head={['Token', 'Advantage', 'Before', 'After', 'Change of log p']}
          rows={texts.map((text, i) => [
            <code>{text.trim()}</code>,
            signedNumber(advantages[i]),
            tokenProbability(before[i]),
            tokenProbability(after[i]),
            (after[i] < before[i] ? '−' : '+') + plainNumber(Math.abs(after[i] - before[i])),
          ])}
        />
      </Scroll>
    </details>
  );
}
