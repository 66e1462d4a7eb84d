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

/** Where files are chosen; the same ones may be chosen again. */
export function FileInput(props: {
  /** The ends of their names. */
  accept?: string;
  disabled?: boolean;
  /** A folder, with all that is in it. */
  isFolder?: boolean;
  /** @param files - one at least */
  onFiles: (files: readonly File[]) => void;
}) {
  const { accept, disabled, isFolder = false, onFiles } = props;
  return (
    <input
      type="file"
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
  );
}
