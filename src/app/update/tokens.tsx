/** A completion token by token: underlined by the advantage of each token, and as a table of the update's effect. */
import type { Rollout, TokenChanges } from '../../run/record/rollout-record';
import { Scroll, Table } from '../ui/table';
import { signedNumber, withMinus } from '../ui/numbers';
import { advantageColour, changesOf, tokenProbability } from './token-figures';

/** Completions of more tokens are underlined as a whole, since each token is an element. */
const mostTokens = 300;

/**
 * @param props.advantage - advantage of the whole completion
 * @param props.largest - advantage with the full colour
 */
export function Tokens(props: { rollout: Rollout; advantage: number; largest: number }) {
  const { completion, byToken } = props.rollout;
  const isSplit = byToken !== undefined && byToken.texts.length <= mostTokens;
  const tokens = isSplit ? byToken.texts : [completion.trim()];
  const advantages = isSplit ? byToken.advantages : [props.advantage];
  return (
    <span class="tokens-of">
      {tokens.map((text, i) => (
        <span key={i} style={{ '--shade': advantageColour(advantages[i], props.largest) }}>
          {text}
        </span>
      ))}
    </span>
  );
}

export function TokenTable({ changes }: { changes: TokenChanges }) {
  const { texts, advantages, before, after } = changes;
  const differences = changesOf(changes);
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
            (differences[i] < 0 ? '' : '+') + withMinus(differences[i]),
          ])}
        />
      </Scroll>
    </details>
  );
}
