/** The symbols of the endings, the same in all figures. */
import { endingName, type EndingName } from '../study';
import type { JudgedRun } from '../study';
import { colours, mark, text } from '../svg';

export const endingSymbols = {
  collapsed: { shape: 'circle', fill: colours.lost, hollow: false },
  decorated: { shape: 'diamond', fill: colours.shortcut, hollow: false },
  'reasons better': { shape: 'square', fill: colours.faithful, hollow: false },
  undetermined: { shape: 'triangle', fill: colours.other, hollow: true },
  'no reasoning to lose': { shape: 'circle', fill: colours.other, hollow: true },
} as const satisfies Record<EndingName, unknown>;

export function endingMark(run: JudgedRun, place: readonly [number, number]): string {
  const { shape, ...paint } = endingSymbols[endingName(run)];
  return mark(shape, place, paint);
}

/** One row of all symbols with their names, 520 pixels wide. */
export function endingLegend(left: number, y: number): string[] {
  const widths: Record<EndingName, number> = {
    collapsed: 86,
    decorated: 88,
    'reasons better': 112,
    undetermined: 106,
    'no reasoning to lose': 128,
  };
  let x = left;
  return Object.keys(endingSymbols).flatMap((key) => {
    const name = key as EndingName;
    const { shape, ...paint } = endingSymbols[name];
    const drawn = [mark(shape, [x, y], paint), text(x + 10, y + 4, name, { size: 11 })];
    x += widths[name];
    return drawn;
  });
}
