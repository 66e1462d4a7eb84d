/**
 * Form in which a student enters a number and receives the settings of that seat. They fill the form of Train, and a reload of
 * the same class link restores the seat.
 */
import { useSignal } from '@preact/signals';
import { toErrorReport } from '../../base/error';
import { runOfSeat, seatName, seatTitle } from '../../run/sweep/seats';
import { browserStorage } from '../page/browser-storage';
import type { FormStore } from '../page/form-store';
import { armName } from '../words/arms';
import { presetNames } from '../words/preset-words';

export function Seat({ form, isEndingHidden }: { form: FormStore; isEndingHidden: boolean }) {
  const { classroom, seat } = form;
  const fault = useSignal<string | null>(null);
  if (classroom.value === null) return null;
  const sit = (event: SubmitEvent): void => {
    event.preventDefault();
    try {
      takeSeat(form, (event.currentTarget as HTMLFormElement).querySelector('input')!.value);
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
          aria-describedby="explain-seat"
          aria-invalid={fault.value !== null}
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

export type Seated = Pick<FormStore, 'draft' | 'faults' | 'classroom' | 'seat'>;

const key = 'marble-seat';
/** If storage is unavailable, the page asks for the seat again after a reload. */
const storage = browserStorage();

/** @throws MarbleError `app/no-seat` if the typed text is no valid seat */
export function takeSeat(form: Seated, typed: string): void {
  const room = form.classroom.value;
  if (room === null) return;
  const { config, values } = runOfSeat(room, typed);
  const name = seatName(typed);
  form.draft.value = config;
  form.faults.value = new Map();
  form.seat.value = { name, values, config };
  storage.keep(key, `${name} ${room.link}`);
}

export function leaveSeat(form: Seated): void {
  form.seat.value = null;
  storage.keep(key, '');
}

/** Restores the seat that was last taken in this class, if any. A damaged one is dropped, so the page asks again. */
export function retakeSeat(form: Seated): void {
  const [name, link] = (storage.read(key) ?? '').split(' ');
  try {
    if (link === form.classroom.value?.link) takeSeat(form, name);
  } catch {
    leaveSeat(form);
  }
}
