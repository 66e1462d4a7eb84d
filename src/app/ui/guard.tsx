/**
 * What breaks on one record breaks its own row, card or panel alone: the rest of the page stands, and what is kept of the
 * record can be saved and deleted all the same.
 */
import { createContext, type ComponentChildren } from 'preact';
import { useContext, useErrorBoundary } from 'preact/hooks';
import { toErrorReport } from '../../base/error';
import { DeleteButton } from './delete-button';

/** A record as far as it can be dealt with unread. */
export interface Unread {
  /** `run 1a2b3c4d` */
  name: string;
  save?: () => unknown;
  remove?: () => unknown;
}

/** The record that the parts within speak of. */
const Spoken = createContext<Unread | null>(null);

/** @param props.of - left out where that is the record around it, or where there is none */
export function Guard(props: { of?: Unread; children: ComponentChildren }) {
  const around = useContext(Spoken);
  const [thrown] = useErrorBoundary() as [unknown, () => void];
  const record = props.of ?? around;
  if (thrown === undefined) return <Spoken.Provider value={record}>{props.children}</Spoken.Provider>;
  return <UnreadRow of={record} thrown={thrown} />;
}

/** @param props.of - null where nothing is known of what it was */
export function UnreadRow({ of: record, thrown }: { of: Unread | null; thrown: unknown }) {
  const { message, nextStep } = toErrorReport(thrown);
  return (
    <div class="guarded" role="alert">
      <p class="fault">
        {record === null ? 'This part' : `A part of ${record.name}`} cannot be shown: {message} {nextStep}
      </p>
      {record === null ? null : (
        <div class="actions">
          {record.save === undefined ? null : (
            <button type="button" onClick={() => record.save?.()}>
              Save as a file<span class="visually-hidden">: {record.name}</span>
            </button>
          )}
          {record.remove === undefined ? null : (
            <DeleteButton name={record.name} onDelete={() => record.remove?.()} />
          )}
        </div>
      )}
    </div>
  );
}
