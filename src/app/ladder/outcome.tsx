/** Result of a ladder run in words and figures. Loaded after a run. */
import type { Ending } from '../../run/verdict/ending';
import type { Page } from '../page/page';
import { capital } from '../story/sentences';
import { counted } from '../ui/numbers';
import { accuracyWords, seenWords } from '../words/seen';
import type { LadderShown } from './shown';

/** `stops thinking`, or `stops thinking 2, thinks less 1` if the endings differ. */
function tally(endings: readonly Ending[]): string {
  const counts = new Map<Ending, number>();
  for (const ending of endings) counts.set(ending, (counts.get(ending) ?? 0) + 1);
  return [...counts].map(([ending, count]) => (counts.size === 1 ? ending : `${ending} ${count}`)).join(', ');
}

/** Experiments on the middle model. */
const whatIfs = [
  ['swap-debiased', 'What if the shortcut rarely works?'],
  ['swap-faithful', 'What if correct reasoning is paid?'],
] as const;

/** Lists the changes in the test and suggests further experiments. */
export function Outcome(props: Pick<Page, 'ladder'> & { all: LadderShown; onTry: (preset: string) => void }) {
  const { ladder, all, onTry } = props;
  const { shown, isLive } = all;
  const verdicts = shown.flatMap(({ verdict }) => verdict ?? []);
  return (
    <section class="outcome stack" aria-label="What happened">
      <p class="quiet small">On test questions:</p>
      <ul>
        {shown.map(({ rung, live, verdict }) => {
          const earlier = ladder.earlier.value.flatMap((endings) => endings[rung.name] ?? []);
          return (
            <li key={rung.name}>
              <b style={{ color: `var(--${rung.name})` }}>{capital(rung.name)}</b>
              {isLive && live === undefined ? ', recorded' : ''}: {seenWords(verdict, 'words')}
              {earlier.length === 0
                ? null
                : ` ${counted(earlier.length, 'earlier seed')}: ${tally(earlier)}.`}
            </li>
          );
        })}
        {verdicts.length < shown.length ? null : <li>{accuracyWords(verdicts)}</li>}
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
