/** Where the dots of a strip stand: equal numbers make a block, as wide as its neighbours leave room for. */

export interface PlacedDot {
  x: number;
  /** Above the line. */
  y: number;
}

/**
 * @param xs where each number lies on the line
 * @param pitch the room that a dot takes
 * @param rows how many dots may stand above each other; where the room beside is too small they are pressed together
 * @param width of the picture, beyond whose ends no block goes
 */
export function dotColumns(
  xs: readonly number[],
  pitch: number,
  rows: number,
  width = Infinity,
): PlacedDot[] {
  const snapped = xs.map((x) => Math.round(x / pitch) * pitch);
  const columns = [...new Set(snapped)].sort((one, other) => one - other);
  const placed: PlacedDot[] = [];
  columns.forEach((column, place) => {
    const members = snapped.flatMap((x, i) => (x === column ? [i] : []));
    const gap = Math.min(
      column - (columns[place - 1] ?? -Infinity),
      (columns[place + 1] ?? Infinity) - column,
      2 * column,
      2 * (width - column),
    );
    const room = Math.max(1, Math.floor(gap / pitch));
    const wide = Math.min(room, Math.ceil(members.length / rows));
    const high = Math.ceil(members.length / wide);
    const rise = Math.min(pitch, (pitch * (rows - 1)) / Math.max(1, high - 1));
    members.forEach((member, i) => {
      placed[member] = {
        x: column + ((i % wide) - (wide - 1) / 2) * pitch,
        y: Math.floor(i / wide) * rise,
      };
    });
  });
  return placed;
}
