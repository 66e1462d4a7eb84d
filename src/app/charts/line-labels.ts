/** Where the letters at the ends of a chart's lines stand: as near to their line as they can without standing on another. */

export interface LineLabel {
  letter: string;
  colour: string;
  /** Where it begins, and its middle, in pixels. */
  x: number;
  y: number;
}

export interface LabelRoom {
  top: number;
  bottom: number;
  letterWidth: number;
  letterHeight: number;
}

/** Letters of lines that end together stand side by side, as many at most. */
export const mostInRow = 3;

/** Lines that end at other places of the axis do not push each other away. */
export function placeLabels(ends: readonly LineLabel[], room: LabelRoom): LineLabel[] {
  const columns: LineLabel[][] = [];
  for (const end of [...ends].sort((a, b) => a.x - b.x)) {
    const column = columns.at(-1);
    if (column !== undefined && end.x - column[0].x < mostInRow * room.letterWidth) column.push(end);
    else columns.push([end]);
  }
  return columns.flatMap((column) => inRows(column, room));
}

function inRows(column: readonly LineLabel[], { top, bottom, letterWidth, letterHeight }: LabelRoom) {
  const rows: LineLabel[][] = [];
  for (const end of [...column].sort((a, b) => a.y - b.y)) {
    const row = rows.at(-1);
    if (row !== undefined && row.length < mostInRow && end.y - row[0].y < letterHeight) row.push(end);
    else rows.push([end]);
  }
  const middles = rows.map((row) => row.reduce((sum, { y }) => sum + y, 0) / row.length);
  middles.forEach((middle, place) => {
    const above = place === 0 ? top - letterHeight / 2 : middles[place - 1];
    middles[place] = Math.max(middle, above + letterHeight);
  });
  let below = bottom + letterHeight / 2;
  for (let place = rows.length - 1; place >= 0; place--) {
    below = middles[place] = Math.min(middles[place], below - letterHeight);
  }
  return rows.flatMap((row, place) => {
    const left = Math.max(...row.map(({ x }) => x));
    return [...row]
      .sort((a, b) => (a.letter < b.letter ? -1 : 1))
      .map((end, index) => ({ ...end, x: left + index * letterWidth, y: middles[place] }));
  });
}
