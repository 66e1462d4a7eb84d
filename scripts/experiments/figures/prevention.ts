/** H5: what fraction of the faithful traces each arm keeps. */
import { LEAST_KEPT, type Arm, type Prevention } from '../hypotheses/prevention';
import { colours, line, mark, page, panel, text, ticks, whisker } from '../svg';

const ROW = 30;

export function preventionFigure({ base, arms }: Prevention): string {
  const rows = [base, ...arms];
  const highest = Math.max(1.25, ...rows.map(({ kept }) => kept?.high ?? 0));
  const to = highest > 6 ? 2 * Math.ceil(highest / 2) : Math.ceil(highest * 4) / 4;
  const [left, top, width] = [236, 56, 440];
  const height = ROW * rows.length;
  const chart = panel({
    left,
    top,
    width,
    height,
    x: {
      label: 'F after / F before, pooled over the runs, 95 %',
      from: 0,
      to,
      ticks: ticks(0, to, to > 6 ? 2 : to > 3 ? 0.5 : 0.25),
      grid: true,
    },
    y: { label: '', from: rows.length, to: 0, ticks: [] },
  });
  const body = rows.flatMap((arm, row) => {
    const at = chart.y(row + 0.5);
    const name = text(left - 12, at + 4, arm.name.replaceAll('`', ''), { anchor: 'end' });
    if (arm.kept === null) {
      const why = arm.runs.length === 0 ? 'no runs' : 'no faithful trace before';
      return [name, text(left + 10, at + 4, why, { size: 11, fill: colours.other })];
    }
    const { low, high, value } = arm.kept;
    const fill = colourOf(arm);
    return [
      name,
      whisker([chart.x(low), at], [chart.x(high), at], { stroke: fill, width: 2 }),
      mark(arm.prevents === true ? 'square' : 'circle', [chart.x(value), at], {
        fill,
        hollow: arm.prevents === null,
        radius: 5,
      }),
    ];
  });
  const limit = line([chart.x(LEAST_KEPT), top], [chart.x(LEAST_KEPT), top + height], {
    stroke: colours.ink,
    dash: '5 3',
  });
  const foot = top + height + 62;
  const legend = [
    line([28, foot], [54, foot], { dash: '5 3' }),
    text(60, foot + 4, 'an arm prevents when its interval lies above .8', { size: 11 }),
    mark('square', [346, foot], { fill: colours.faithful, radius: 5 }),
    text(356, foot + 4, 'prevents', { size: 11 }),
    mark('circle', [426, foot], { fill: colours.lost, radius: 5 }),
    text(436, foot + 4, 'does not', { size: 11 }),
    mark('circle', [506, foot], { fill: colours.other, hollow: true, radius: 5 }),
    text(516, foot + 4, 'runs missing', { size: 11 }),
  ];
  return page(
    left + width + 30,
    foot + 22,
    'H5: faithful traces kept, by arm',
    'Fraction of the start’s faithful traces that is there after training, for each arm, with its interval and the line at .8.',
    [...chart.frame, limit, ...body, ...legend],
  );
}

function colourOf({ prevents }: Arm): string {
  return prevents === null ? colours.other : prevents ? colours.faithful : colours.lost;
}
