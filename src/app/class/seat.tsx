/** What a student of a class does first: says who they are, and gets a run of their own. */
import { useSignal } from '@preact/signals';
import { toErrorReport } from '../../error';
import { runOfSeat, seatName } from '../../run/seats';
import { runName } from '../../share/name';
import type { Page } from '../page';
import { armName } from '../sweeps/words';

export function Seat({ page }: { page: Page }) {
  const { classroom, seat } = page;
  const typed = useSignal('');
  const fault = useSignal<string | null>(null);
  const room = classroom.value;
  if (room === null) return null;
  const sit = (event: SubmitEvent): void => {
    event.preventDefault();
    try {
      const { config, arm } = runOfSeat(room, typed.value);
      page.draft.value = config;
      page.faults.value = new Map();
      seat.value = { name: seatName(typed.value), arm };
      fault.value = null;
    } catch (thrown) {
      const { message, nextStep } = toErrorReport(thrown);
      fault.value = `${message} ${nextStep}`;
    }
  };
  const taken = seat.value;
  if (taken !== null) {
    return (
      <div class="seat">
        <p role="status">
          <b>{taken.name}</b>: your run is {runName(page.draft.value)}
          {taken.arm === '' ? '' : ` (${armName(taken.arm)})`}. Nobody else in the class has the same.
        </p>
        <button type="button" onClick={() => (seat.value = null)}>
          That is not me
        </button>
      </div>
    );
  }
  return (
    <form class="seat" onSubmit={sit}>
      <label class="field">
        <span>Your number or your name</span>
        <input
          type="text"
          autoComplete="off"
          maxLength={60}
          value={typed.value}
          aria-describedby="explain-seat"
          aria-invalid={fault.value !== null}
          onInput={(event) => (typed.value = event.currentTarget.value)}
        />
        <small id="explain-seat" class={fault.value === null ? '' : 'fault'}>
          {fault.value ??
            'It gives you a seed that is yours alone. It is written into the run’s note and leaves this computer only in the file that you send.'}
        </small>
      </label>
      <button type="submit" class="primary">
        Take this seat
      </button>
    </form>
  );
}
