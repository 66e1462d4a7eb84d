/** Button that opens runs from Marble's files. */
import type { Session } from '../session/session';
import { ChooseFiles } from '../ui/files';

export function OpenFile(props: { session: Session; label: string; onOpened?: (id: string) => void }) {
  const { session, label, onOpened } = props;
  const open = async (files: readonly File[]): Promise<void> => {
    for (const file of files) {
      const id = await session.openRunFile(file);
      if (id === null) return;
      onOpened?.(id);
    }
  };
  return (
    <ChooseFiles
      words={`${label} …`}
      accept=".marble"
      disabled={session.activity.value !== 'idle'}
      onFiles={(files) => void open(files)}
    />
  );
}
