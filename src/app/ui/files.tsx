/** Saves and chooses files. */

export function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const anchor = document.createElement('a');
  anchor.href = address;
  anchor.download = name;
  anchor.click();
  // By then the browser has read the address. Some browsers need it for a moment after the click.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** A button that opens the browser's file chooser. The same files may be chosen again. */
export function ChooseFiles(props: {
  words: string;
  /** Accepted endings of file names. */
  accept?: string;
  disabled?: boolean;
  /** Chooses a folder with all its files. */
  isFolder?: boolean;
  /** @param files - at least one */
  onFiles: (files: readonly File[]) => void;
}) {
  const { words, accept, disabled = false, isFolder = false, onFiles } = props;
  return (
    <label class="choose-files">
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
