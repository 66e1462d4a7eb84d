import { describe, expect, it } from 'vitest';
import { placeLabels } from '../../../src/app/charts/line-labels';

const room = { top: 0, bottom: 120, letterWidth: 10, letterHeight: 14 };
const place = (ends: [letter: string, x: number, y: number][]) =>
  placeLabels(
    ends.map(([letter, x, y]) => ({ letter, x, y, colour: '--ink' })),
    room,
  ).map(({ letter, x, y }) => [letter, x, y]);

describe('the letters at the ends of lines', () => {
  it('stand at their lines, side by side where lines end together', () => {
    expect(
      place([
        ['A', 200, 106],
        ['D', 200, 12],
        ['B', 200, 104],
        ['C', 200, 102],
      ]),
    ).toEqual([
      ['D', 200, 12],
      ['A', 200, 104],
      ['B', 210, 104],
      ['C', 220, 104],
    ]);
  });

  it('are not pushed away by those of lines that end elsewhere', () => {
    expect(
      place([
        ['A', 200, 100],
        ['B', 120, 101],
      ]),
    ).toEqual([
      ['B', 120, 101],
      ['A', 200, 100],
    ]);
  });

  it('stay within the plot, and stand below each other where there are more than fit in a row', () => {
    expect(place(['A', 'B', 'C', 'D'].map((letter) => [letter, 200, 118]))).toEqual([
      ['A', 200, 99],
      ['B', 210, 99],
      ['C', 220, 99],
      ['D', 200, 113],
    ]);
  });
});
