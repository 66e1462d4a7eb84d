/** Run files that are dropped anywhere on the page: one is opened, several are read as those of a class. */

/**
 * A drop that another part of the page has taken is left alone, and so is anything but run files.
 *
 * @param taken what becomes of one run file, and of several dropped together
 */
export function openDroppedRuns(
  page: EventTarget,
  taken: { one: (file: File) => void; several: (files: readonly File[]) => void },
): void {
  // Without this the browser would leave the page and show the file.
  page.addEventListener('dragover', (event) => {
    if ((event as DragEvent).dataTransfer?.types.includes('Files') === true) event.preventDefault();
  });
  page.addEventListener('drop', (event) => {
    if (event.defaultPrevented) return;
    const files = [...((event as DragEvent).dataTransfer?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    const runs = files.filter(({ name }) => name.endsWith('.marble'));
    if (runs.length === 1) taken.one(runs[0]);
    else if (runs.length > 1) taken.several(runs);
  });
}
