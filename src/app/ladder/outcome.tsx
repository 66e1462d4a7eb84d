/** Result of a ladder run in words and figures. Loaded after a run. */
import { capital } from '../story/sentences';
import { seenWords } from '../words/seen';
import type { LadderShown } from './shown';

/** Experiments on the middle model. */
const whatIfs = [
  ['swap-debiased', 'What if the shortcut rarely works?'],
  ['swap-faithful', 'What if correct reasoning is paid?'],
] as const;

/** Lists the changes in the test and suggests further experiments. */
export function Outcome({ all, onTry }: { all: LadderShown; onTry: (preset: string) => void }) {
  const { shown, isLive } = all;
  return (
    <section class="outcome stack" aria-label="What happened">
      <p class="quiet small">On test questions:</p>
      <ul>
        {shown.map(({ rung, live, verdict }) => (
          <li key={rung.name}>
            <b style={{ color: `var(--${rung.name})` }}>{capital(rung.name)}</b>
            {isLive && live === undefined ? ', recorded' : ''}: {seenWords(verdict, 'words')}
          </li>
        ))}
      </ul>
      <div class="actions">
        {whatIfs.map(([preset, question]) => (
          <button key={preset} onClick={() => onTry(preset)}>
            {question}
          </button>
        ))}
      </div>
    </section>
  );
}
