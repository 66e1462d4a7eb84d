/** Opens a run from a file that Marble saved, or from the log of another program. */
import type { Session } from './session/session';

export function OpenFile(props: { session: Session; label: string; onOpened?: (id: string) => void }) {
  const { session, label, onOpened } = props;
  const open = async (file: File): Promise<void> => {
    const id = await session.openRunFile(file);
    if (id !== null) onOpened?.(id);
  };
  return (
    <label class="open-file">
      {label}{' '}
      <input
        type="file"
        accept=".marble,.json,.jsonl,.log,.txt,.csv"
        disabled={session.activity.value !== 'idle'}
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          event.currentTarget.value = '';
          if (file !== undefined) void open(file);
        }}
      />
    </label>
  );
}
