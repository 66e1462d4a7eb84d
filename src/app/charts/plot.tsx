/** A plot for the first look: few lines, named at their ends with their values. */
import type { ComponentChildren } from 'preact';
import { crosshair } from './chart-view';
import {
  isWithin,
  lastStepOf,
  toldAt,
  upTo,
  valueAt,
  type ChartLine,
  type Curve,
  type Range,
} from './lines/curve';
import { PlotArea, type LineEnd } from './plot-area';

export interface PlotLine extends ChartLine {
  /** Of a recording of the same, faint behind it. */
  ghost?: Curve;
  /** A second line of the same; those of all lines are named together. */
  thin?: Curve & { label: string };
  /** Values of the test, drawn as dots. */
  tested?: Curve;
}

export function Plot(props: {
  title: string;
  /** What the title means. */
  help?: ComponentChildren;
  lines: readonly PlotLine[];
  steps: number;
  /** What values can be. */
  range: Range;
  /** The part of it that is shown until a line leaves it: the axis moves once at most. */
  usual?: Range;
  /** A step at which something has happened, and what. */
  mark?: { step: number; word: string } | null;
  format: (value: number) => string;
}) {
  const { title, help, lines, steps, range, usual = range, format, mark } = props;
  const chosen = crosshair.value;
  const ghosts = lines.flatMap(({ label, colour, ghost }): ChartLine[] =>
    ghost === undefined
      ? []
      : [{ ...upTo(ghost, steps), label: `${label}, recorded`, colour, faint: true, look: 'ghost' }],
  );
  const thin = lines.flatMap(({ label, colour, thin: second }): ChartLine[] =>
    second === undefined
      ? []
      : [{ ...second, label: `${label}, ${second.label}`, colour, look: `thin ${label}` }],
  );
  const dots = lines.flatMap(({ label, colour, tested }): ChartLine[] =>
    tested === undefined
      ? []
      : [{ ...tested, label: `${label}, test`, colour, points: true, look: `tested ${label}` }],
  );
  const whole = [...lines, ...dots, ...lines.flatMap(({ ghost }) => ghost ?? [])];
  const [low, high] = isWithin(whole, usual) ? usual : range;
  const drawn = [...ghosts, ...thin, ...lines.map((line) => ({ ...line, look: line.label })), ...dots];
  const ends = lines.flatMap(({ label, colour, ...line }): LineEnd[] => {
    const value = valueAt(line, chosen);
    const words = value !== null && [label, ' ', <b key={label}>{format(value)}</b>];
    return value === null ? [] : [{ key: label, colour, value, label: words }];
  });
  const thinEnds = thin.flatMap((line) => valueAt(line, chosen) ?? []);
  if (thinEnds.length > 0) {
    const label = lines.find((line) => line.thin !== undefined)?.thin?.label;
    ends.push({ key: 'thin', colour: '--quiet', value: Math.max(...thinEnds), label });
  }
  const told = toldAt(drawn, chosen, format) || 'nothing yet';
  // of what is measured now and then, the step of the values and not of the crosshair
  const measured =
    chosen === null ? -1 : Math.max(-1, ...lines.map((line) => lastStepOf(line, chosen) ?? -1));
  return (
    <figure class="plot-figure">
      <figcaption>
        <h2>
          {title} {help}
        </h2>
        <span class="bounds">
          {measured >= 0 ? (
            `step ${measured}`
          ) : ghosts.some((ghost) => ghost.steps.length > 0) ? (
            <span class="ghost-word">thin line: our recorded run</span>
          ) : null}
        </span>
      </figcaption>
      <PlotArea
        label={`${title} over ${steps} steps: ${told}${mark ? `; ${mark.word} at step ${mark.step}` : ''}`}
        lines={drawn}
        sight={{ from: 0, to: steps, low, high }}
        stepTicks={[0, steps]}
        valueTicks={[low, high]}
        format={format}
        ends={ends}
        mark={mark?.step}
      >
        {mark ? (
          <span class="mark-word" aria-hidden="true" style={{ left: `${(100 * mark.step) / steps}%` }}>
            {mark.word}
          </span>
        ) : null}
      </PlotArea>
    </figure>
  );
}
