/**
 * Error boundary of one record. An error replaces only the row, card or panel of the record, which can still be saved and
 * deleted.
 */
import { createContext, type ComponentChildren } from 'preact';
import { useContext, useEffect, useErrorBoundary, useRef } from 'preact/hooks';
import { toErrorReport } from '../../base/error';
import { DeleteButton } from './delete-button';
import { saveFile } from './files';

/** A record that cannot be read, with the actions that are still possible. */
export interface Unread {
  /** `run 1a2b3c4d` */
  name: string;
  save: () => unknown;
  remove: () => unknown;
}

/** A stored record other than a run. */
export const unreadRecord = (what: string, record: { id: string }, remove: () => unknown): Unread => ({
  name: `${what} ${record.id}`,
  save: () => saveFile(`${what.replace(' ', '-')}.json`, new Blob([JSON.stringify(record)])),
  remove,
});

/** The record that the components within show. */
const Spoken = createContext<Unread | null>(null);

/** @param props.of - the record shown within; by default that of the enclosing guard, if any */
export function Guard(props: { of?: Unread; children: ComponentChildren }) {
  const around = useContext(Spoken);
  const record = props.of ?? around;
  const brokenBy = useRef<string | undefined>(undefined);
  const [thrown, reset] = useErrorBoundary(() => {
    brokenBy.current = record?.name;
  }) as [unknown, () => void];
  useEffect(() => {
    // Retries with another record. A key would also reset the state within, such as the chosen tab.
    if (thrown !== undefined && brokenBy.current !== record?.name) reset();
  });
  if (thrown === undefined) return <Spoken.Provider value={record}>{props.children}</Spoken.Provider>;
  return <UnreadRow of={record} thrown={thrown} />;
}

/** @param props.of - null if the record is not known */
export function UnreadRow({ of: record, thrown }: { of: Unread | null; thrown: unknown }) {
  const { code, message, nextStep } = toErrorReport(thrown);
  return (
    <div role="alert">
      <p class="fault">
        {record === null ? 'This part' : `A part of ${record.name}`} cannot be shown: {message} {nextStep}
      </p>
      {code === 'app/part-missing' ? (
        <button class="primary" onClick={() => location.reload()}>
          Reload the page
        </button>
      ) : record === null ? null : (
        <div class="actions">
          <button onClick={record.save}>
            Save as a file<span class="visually-hidden">: {record.name}</span>
          </button>
          <DeleteButton name={record.name} onDelete={record.remove} />
        </div>
      )}
    </div>
  );
}
