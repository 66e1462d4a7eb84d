/**
 * What breaks on one record breaks its own row, card or panel alone: the rest of the page stands, and what is kept of the
 * record can be saved and deleted all the same.
 */
import { createContext, type ComponentChildren } from 'preact';
import { useContext, useEffect, useErrorBoundary, useRef } from 'preact/hooks';
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
  const record = props.of ?? around;
  const brokenBy = useRef<string | undefined>(undefined);
  const [thrown, reset] = useErrorBoundary(() => {
    brokenBy.current = record?.name;
  }) as [unknown, () => void];
  useEffect(() => {
    // Another record is tried anew; a key would lose what is chosen within, such as a tab, from one to the next.
    if (thrown !== undefined && brokenBy.current !== record?.name) reset();
  });
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
