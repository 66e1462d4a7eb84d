/** How a model ended beside what the visitor had guessed, and what was seen of it: fetched when it is told. */
import type { Ending } from '../../run/verdict/ending';
import { counted } from '../ui/numbers';
import { accuracyWords, seenWords } from '../words/seen';
import type { Guess } from '../page/ladder';
import type { Shown } from './shown';

/** The guess that each ending would have been. */
const guessFor: Partial<Record<Ending, Guess>> = {
  'stops thinking': 'stops',
  'goes on writing, no longer thinks': 'fakes',
  'keeps thinking': 'keeps',
  'thinks better': 'keeps',
};

/** Whether a guess has come true; nothing of an ending that nobody could guess. */
export function GuessMark({ guess, ending }: { guess: Guess; ending: Ending }) {
  const came = guessFor[ending];
  if (came === undefined) return null;
  const isRight = guess === came;
  return (
    <b class={isRight ? 'right' : 'wrong'}>
      {isRight ? ' ✓' : ' ✗'}
      <span class="visually-hidden">{isRight ? 'right' : 'wrong'}</span>
    </b>
  );
}

/** `stops thinking`; of endings that differ `stops thinking 2, thinks less 1`. */
function tally(endings: readonly Ending[]): string {
  const counts = new Map<Ending, number>();
  for (const ending of endings) counts.set(ending, (counts.get(ending) ?? 0) + 1);
  return [...counts].map(([ending, count]) => (counts.size === 1 ? ending : `${ending} ${count}`)).join(', ');
}

/**
 * @param props.isReplaced - the recording stands for a run for which there are too few cores
 * @param props.earlier - how its runs with other seeds have ended since the page was opened
 */
export function Came(props: {
  one: Shown;
  guess: Guess | undefined;
  isReplaced: boolean;
  earlier: readonly Ending[];
}) {
  const { one, guess, isReplaced, earlier } = props;
  const { rung, ending, verdict } = one;
  const came = ending === null ? undefined : guessFor[ending];
  return (
    <div class="came">
      <p>
        <span class="guess-name" style={{ color: `var(--${rung.name})` }}>
          {rung.name}
        </span>
        {ending === null ? null : <b class="narrow">{ending}</b>}
        {guess === undefined ? null : (
          <span>
            <span class="narrow">guessed </span>
            {guess}
            {ending === null ? null : <GuessMark guess={guess} ending={ending} />}
            {came === undefined || came === guess ? null : <span class="wide">, it {came}</span>}
          </span>
        )}
      </p>
      <p class="quiet">
        {isReplaced ? 'recorded: ' : ''}
        {seenWords(verdict)}
        {earlier.length === 0 ? null : `. ${counted(earlier.length, 'earlier seed')}: ${tally(earlier)}`}
      </p>
    </div>
  );
}

/** Greedy accuracy beside sampled, from the smallest model to the largest. */
export function Accuracies({ shown }: { shown: readonly Shown[] }) {
  const verdicts = shown.flatMap(({ verdict }) => verdict ?? []);
  return verdicts.length < shown.length ? null : <p class="quiet">{accuracyWords(verdicts)}</p>;
}
