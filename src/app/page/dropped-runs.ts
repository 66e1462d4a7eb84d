/**
 * Handles run files that are dropped anywhere on the page. Ignores other files, and drops that another part of the page
 * has handled.
 *
 * @param taken - receives a single run file, or several that were dropped together
 */
export function openDroppedRuns(
  page: EventTarget,
  taken: { one: (file: File) => unknown; several: (files: readonly File[]) => void },
): void {
  // Without `preventDefault` the browser would navigate to the file.
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
