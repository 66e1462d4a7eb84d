/** The visitor's guesses of the endings, and what happened. */
import type { Ending } from '../../run/verdict/ending';
import { guessResult, type Guess } from '../../run/verdict/guess';
import type { Page } from '../page/page';
import { capital } from '../story/sentences';
import { Choices } from '../ui/choices';
import { counted } from '../ui/numbers';
import { resultMarks } from '../words/guess-words';
import { accuracyWords, seenWords } from '../words/seen';
import type { LadderShown, Shown } from './shown';

const names: Readonly<Record<Guess, string>> = { keeps: 'keeps', fakes: 'fakes', stops: 'stops' };

/** Cell below a model's column of the picture: the guess of its ending, then the ending. */
export function GuessRow(props: Pick<Page, 'ladder' | 'places'> & { one: Shown; isTold: boolean }) {
  const { ladder, places, one, isTold } = props;
  const made = ladder.guesses.value;
  const { rung, live, ending } = one;
  const guess = made[rung.name];
  const id = live === undefined ? rung.preset : live.view?.id;
  if (!isTold)
    return (
      <Choices
        label={`Guess: the ${rung.name} model`}
        names={names}
        chosen={guess}
        onChoose={(choice) => (ladder.guesses.value = { ...made, [rung.name]: choice })}
      />
    );
  return (
    <div class={`guess ${rung.name}`}>
      {ending === null ? null : <b class="rung-ending">{ending}</b>}
      {guess === undefined ? null : (
        <span>
          guess: {guess}
          {ending === null ? null : <GuessMark guess={guess} ending={ending} />}
        </span>
      )}
      {ending === null || id == null ? null : (
        <button onClick={() => places.go({ name: 'why', id })}>
          Why?<span class="visually-hidden"> the {rung.name} model</span>
        </button>
      )}
    </div>
  );
}

function GuessMark({ guess, ending }: { guess: Guess; ending: Ending }) {
  const result = guessResult(guess, ending);
  const { mark, words } = resultMarks[result];
  return (
    <b class={result} title={words}>
      {` ${mark}`}
      <span class="visually-hidden">{words}</span>
    </b>
  );
}

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
      <p class="quiet">On test questions:</p>
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
