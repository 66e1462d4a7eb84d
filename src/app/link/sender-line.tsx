/** Compares a run with the sender's run, by the fingerprint in the link. */
import { counted } from '../ui/numbers';
import type { Page } from '../page/page';
import type { RunView } from '../session/run-view';
import { FIRST_STEPS, MOST_HELD } from '../../run/record/held-steps';
import { compareWithFingerprint, rowsOf } from '../../share/run-fingerprint';
import { useFound } from '../ui/use-found';

export function SenderLine(props: {
  sent: { fingerprint: string; backend?: string };
  view: RunView;
  session: Pick<Page['session'], 'allRecords'>;
}) {
  const { sent, view, session } = props;
  const { fingerprint } = sent;
  const records = view.records.value;
  const backend = view.backend?.backend;
  const taken = records.at(-1)?.step ?? 0;
  const isThinned = taken > MOST_HELD;
  const isComparable = isThinned && taken >= rowsOf(fingerprint);
  const all = useFound(
    async () => (isComparable ? session.allRecords(view) : null),
    [fingerprint, isComparable],
  );
  const known = all ?? (isThinned ? records.slice(0, FIRST_STEPS) : records);
  if (known.length > 0 && known[0].step !== 1) return null; // the storage has lost its first steps
  const { compared, rows, differsAt, isSame } = compareWithFingerprint(fingerprint, known);
  const since = differsAt === null ? `after its first ${compared} steps` : `from step ${differsAt} on`;
  const onOther = `The sender’s was computed on ${sent.backend}, this one on ${backend}. `;
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
          {sent.backend !== undefined && backend !== undefined && sent.backend !== backend ? onOther : ''}
          Rounding differs between computers, browsers and builds, and sampling amplifies it into different
          text. The data and the random numbers are the same.
        </>
      )}
    </p>
  );
}
