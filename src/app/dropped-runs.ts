/** Run files that are dropped anywhere on the page are opened, one after the other. */

/**
 * A drop that another part of the page has taken is left alone, and so is anything but run files.
 *
 * @param open called for each run file; the next one waits for it
 */
export function openDroppedRuns(page: EventTarget, open: (file: File) => Promise<unknown>): void {
  // Without this the browser would leave the page and show the file.
  page.addEventListener('dragover', (event) => {
    if ((event as DragEvent).dataTransfer?.types.includes('Files') === true) event.preventDefault();
  });
  page.addEventListener('drop', (event) => {
    if (event.defaultPrevented) return;
    const files = [...((event as DragEvent).dataTransfer?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    void openEach(
      files.filter(({ name }) => name.endsWith('.marble')),
      open,
    );
  });
}

async function openEach(files: readonly File[], open: (file: File) => Promise<unknown>): Promise<void> {
  for (const file of files) await open(file);
}
