/** Button that opens a run from a Marble file, or an adapter or small model trained by another program. */
import type { RunConfig } from '../../run/config/config';
import type { Session } from '../session/session';
import { ChooseFiles } from '../ui/files';

export function OpenFile(props: {
  session: Session;
  label: string;
  /** Settings of the form, for an adapter whose files state neither reward nor questions. */
  settings: RunConfig;
  onOpened?: (id: string) => void;
}) {
  const { session, label, settings, onOpened } = props;
  const open = async (files: readonly File[]): Promise<void> => {
    const named = Object.fromEntries(files.map((file) => [file.webkitRelativePath || file.name, file]));
    const id = await session.openRunFile(files.length === 1 ? files[0] : named, settings);
    if (id !== null) onOpened?.(id);
  };
  return (
    <ChooseFiles
      words={`${label} …`}
      accept=".marble,.zip,.json,.txt,.safetensors"
      disabled={session.activity.value !== 'idle'}
      onFiles={(files) => void open(files)}
    />
  );
}
