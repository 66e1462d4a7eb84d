/** Cell below a model's column of the picture: the visitor's guess of its ending, then the ending. */
import type { Guess } from '../../run/verdict/guess';
import type { Page } from '../page/page';
import { Choices } from '../ui/choices';
import { later } from '../ui/later';
import type { Shown } from './shown';

const names: Readonly<Record<Guess, string>> = { keeps: 'keeps', fakes: 'fakes', stops: 'stops' };

const GuessMark = later(() => import('./came').then((part) => part.GuessMark));

export function GuessRow(props: Pick<Page, 'ladder' | 'places'> & { one: Shown; isTold: boolean }) {
  const { ladder, places, one, isTold } = props;
  const made = ladder.guesses.value;
  const { rung, live, ending } = one;
  const guess = made[rung.name];
  const id = live === undefined ? rung.preset : live.view?.id;
  if (isTold)
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
  return (
    <Choices
      label={`Guess: the ${rung.name} model`}
      names={names}
      chosen={guess}
      onChoose={(choice) => {
        void GuessMark.ready(); // arrives before it is shown
        ladder.guesses.value = { ...made, [rung.name]: choice };
      }}
    />
  );
}
