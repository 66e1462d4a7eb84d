/** Form in which a student enters a number and receives the settings of that seat. */
import { useSignal } from '@preact/signals';
import { toErrorReport } from '../../base/error';
import { seatTitle } from '../../run/sweep/seats';
import type { FormStore } from '../page/form-store';
import { armName } from '../words/arms';
import { presetNames } from '../words/preset-words';
import { leaveSeat, takeSeat } from './take-seat';

export function Seat({ form, isEndingHidden }: { form: FormStore; isEndingHidden: boolean }) {
  const { classroom, seat } = form;
  const typed = useSignal('');
  const fault = useSignal<string | null>(null);
  const room = classroom.value;
  if (room === null) return null;
  const sit = (event: SubmitEvent): void => {
    event.preventDefault();
    try {
      takeSeat(form, typed.value);
      fault.value = null;
    } catch (thrown) {
      const { message, nextStep } = toErrorReport(thrown);
      fault.value = `${message} ${nextStep}`;
    }
  };
  const taken = seat.value;
  if (taken !== null) {
    const { name, values, config } = taken;
    return (
      <div class="seat framed row">
        <p role="status">
          <b>{seatTitle(name)}</b>: your run{' '}
          {isEndingHidden ? 'has' : `is “${presetNames[config.preset] ?? config.preset}”,`} seed {config.seed}
          {Object.keys(values).length === 0 ? '' : `, arm “${armName(taken)}”`}. It is yours alone as long as
          nobody else types your number.
        </p>
        <button onClick={() => leaveSeat(form)}>That is not me</button>
      </div>
    );
  }
  return (
    <form class="seat framed row" onSubmit={sit}>
      <label class="field">
        <span>Your number</span>
        <input
          type="text"
          autoComplete="off"
          inputMode="numeric"
          maxLength={60}
          value={typed.value}
          aria-describedby="explain-seat"
          aria-invalid={fault.value !== null}
          onInput={(event) => (typed.value = event.currentTarget.value)}
        />
        <small id="explain-seat" class={fault.value === null ? '' : 'fault'}>
          {fault.value ??
            'It gives you your run. It is kept on this computer with the run, and leaves the computer only in the file or the code that you send.'}
        </small>
      </label>
      <button type="submit" class="primary">
        Take this seat
      </button>
    </form>
  );
}
