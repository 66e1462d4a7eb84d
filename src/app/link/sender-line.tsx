/** Compares a run with the sender's run, by the fingerprint in the link. */
import { counted } from '../ui/numbers';
import type { ChosenBackend } from '../../../workers/protocol';
import type { StepRecord } from '../../run/record/events';
import { FIRST_STEPS, MOST_HELD } from '../../run/record/held-steps';
import { compareWithFingerprint, rowsOf } from '../../share/run-fingerprint';
import { useFound } from '../ui/use-found';

export function SenderLine(props: {
  fingerprint: string;
  /** Backend of the sender's run; `backend` is that of this run. */
  sentBackend: ChosenBackend['backend'] | undefined;
  backend: ChosenBackend['backend'] | null;
  /** Thinned for a long run. */
  records: readonly StepRecord[];
  allRecords: () => Promise<readonly StepRecord[] | null>;
}) {
  const { fingerprint, sentBackend, backend, records, allRecords } = props;
  const taken = records.at(-1)?.step ?? 0;
  const isThinned = taken > MOST_HELD;
  const isComparable = isThinned && taken >= rowsOf(fingerprint);
  const all = useFound(async () => (isComparable ? allRecords() : null), [fingerprint, isComparable]);
  const known = all ?? (isThinned ? records.slice(0, FIRST_STEPS) : records);
  if (known.length > 0 && known[0].step !== 1) return null; // the storage has lost its first steps
  const { compared, rows, differsAt, isSame } = compareWithFingerprint(fingerprint, known);
  const since = differsAt === null ? `after its first ${compared} steps` : `from step ${differsAt} on`;
  const onOther = `The sender’s was computed on ${sentBackend}, this one on ${backend}. `;
  return (
    <p class={`notice sender ${isSame === false ? '' : 'is-same'}`} role="status">
      {isSame === null ? (
        // Rendered before the first step too, to avoid a layout shift.
        `The same as the sender’s run so far (${counted(compared, 'step')} held against it).`
      ) : isSame ? (
        <b>Identical to the sender’s run: all {counted(rows, 'step')}, to the last bit.</b>
      ) : (
        <>
          <b>Another run than the sender’s {since}.</b>{' '}
          {sentBackend !== undefined && backend !== null && sentBackend !== backend ? onOther : ''}
          Rounding differs between computers, browsers and builds, and sampling amplifies it into different
          text. The data and the random numbers are the same.
        </>
      )}
    </p>
  );
}
