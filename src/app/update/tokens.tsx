/** A completion token by token, shaded by the advantage of each token or by the update's effect on it. */
import { Fragment } from 'preact';
import { mean } from '../../base/statistics';
import type { Rollout, TokenChanges } from '../../run/record/rollout-record';
import { Scroll, Table } from '../ui/table';
import { plainNumber, signedNumber } from '../ui/numbers';
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

/** Completions of more tokens are shaded as a whole. */
const mostTokens = 300;

/** In the small worlds a token is a word. */
export function Tokens(props: TokensProps) {
  const { rollout, shading, advantage, largest } = props;
  const { completion, byToken } = rollout;
  const split = byToken?.texts ?? completion.trim().split(/(?=\s\S)/, mostTokens + 1);
  const isWhole = split.length === 0 || split.length > mostTokens;
  const texts = isWhole ? [completion] : split;
  const changes = byToken === undefined ? [0] : changesOf(byToken);
  const whole = shading === 'change' ? mean(changes) : advantage;
  const shades = isWhole ? [whole] : shadesOf(props, texts.length);
  return (
    <span class="tokens-of">
      {texts.map((text, i) => (
        <Fragment key={i}>
          {/\s$/.test(texts[i - 1] ?? '') || /^\s/.test(text) ? ' ' : null}
          <span
            style={{ '--shade': advantageColour(shades[i], largest) }}
            title={byToken === undefined || isWhole ? undefined : tokenWords(byToken, i)}
          >
            {text.trim()}
          </span>
        </Fragment>
      ))}
    </span>
  );
}

function shadesOf({ rollout: { byToken }, shading, advantage }: TokensProps, count: number): number[] {
  if (byToken !== undefined && shading === 'change') return changesOf(byToken);
  if (shading === 'change') return new Array<number>(count).fill(0);
  return byToken?.advantages ?? new Array<number>(count).fill(advantage);
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
