/** Files that the visitor is handed, and those that they choose. */

export function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const anchor = document.createElement('a');
  anchor.href = address;
  anchor.download = name;
  anchor.click();
  // The browser has taken the address up by then; at once would be too early for some.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** A button that opens the browser's file chooser. The same files may be chosen again. */
export function ChooseFiles(props: {
  words: string;
  /** The ends of their names. */
  accept?: string;
  disabled?: boolean;
  /** A folder, with all that is in it. */
  isFolder?: boolean;
  /** @param files - one at least */
  onFiles: (files: readonly File[]) => void;
}) {
  const { words, accept, disabled = false, isFolder = false, onFiles } = props;
  return (
    <label class={disabled ? 'choose-files is-disabled' : 'choose-files'}>
      {words}
      <input
        type="file"
        class="visually-hidden"
        multiple={!isFolder}
        accept={accept}
        disabled={disabled}
        ref={(input) => {
          if (input !== null) input.webkitdirectory = isFolder;
        }}
        onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])];
          event.currentTarget.value = '';
          if (files.length > 0) onFiles(files);
        }}
      />
    </label>
  );
}
