/** A curve as one line of text. */

const levels = '▁▂▃▄▅▆▇█';

/**
 * @param width characters; more values than that are averaged, each character over as many as the others
 * @returns empty for no values
 */
export function sparkline(values: readonly number[], width: number): string {
  const finite = values.filter(Number.isFinite);
  const columns = Math.min(width, finite.length);
  const heights = Array.from({ length: columns }, (_, column) => {
    const first = Math.floor((column * finite.length) / columns);
    const part = finite.slice(
      first,
      Math.max(first + 1, Math.floor(((column + 1) * finite.length) / columns)),
    );
    return part.reduce((sum, value) => sum + value, 0) / part.length;
  });
  const low = Math.min(...heights);
  const range = Math.max(...heights) - low;
  const top = levels.length - 1;
  return heights
    .map((height) => levels[range === 0 ? 0 : Math.round((top * (height - low)) / range)])
    .join('');
}
