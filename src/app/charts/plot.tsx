/** A plot for the first look: few lines, named at their ends with their values. */
import type { ComponentChildren } from 'preact';
import { crosshair } from './chart-view';
import { valueAt, type Curve } from './lines/curve';
import { PlotArea } from './plot-area';

export interface PlotLine extends Curve {
  name: string;
  /** A custom property of style.css. */
  colour: string;
  /** Place in `dashes`, and a dot at each value. */
  dash?: number;
  points?: boolean;
  /** Of a recording of the same, faint behind it. */
  ghost?: Curve;
  /** A second line of the same; those of all lines are named together. */
  thin?: Curve & { name: string };
}

export interface PlotProps {
  title: string;
  /** What the title means. */
  help?: ComponentChildren;
  lines: readonly PlotLine[];
  steps: number;
  range: readonly [low: number, high: number];
  /** A step at which something has happened, and what. */
  mark?: { step: number; word: string } | null;
  format: (value: number) => string;
}

export function Plot({ title, help, lines, steps, range: [low, high], format, mark }: PlotProps) {
  const chosen = crosshair.value;
  const told = (step: number | null): string =>
    lines
      .flatMap((line) => {
        const [value, other] = [line, line.thin].map((curve) => curve && valueAt(curve, step));
        if (value == null) return [];
        const beside =
          line.thin === undefined || other == null ? '' : ` (${line.thin.name} ${format(other)})`;
        return [`${line.name} ${format(value)}${beside}`];
      })
      .join(', ');
  const ends = lines.flatMap((line) => {
    const value = valueAt(line, chosen);
    if (value === null) return [];
    const label = (
      <>
        {line.name} <b>{format(value)}</b>
      </>
    );
    return [{ key: line.name, colour: line.colour, value, label }];
  });
  const thin = lines.flatMap((line) => line.thin ?? []);
  const thinEnds = thin.flatMap((line) => valueAt(line, chosen) ?? []);
  if (thinEnds.length > 0)
    ends.push({
      key: 'thin',
      colour: '--quiet',
      value: Math.max(...thinEnds),
      label: <>{thin[0].name}</>,
    });
  return (
    <figure class="plot-figure">
      <figcaption>
        <h2>
          {title} {help}
        </h2>
        <span class="bounds">
          {chosen !== null ? (
            `step ${chosen}`
          ) : lines.some(({ ghost }) => ghost !== undefined && ghost.steps.length > 0) ? (
            <span class="ghost-word">faint: recorded</span>
          ) : null}
        </span>
      </figcaption>
      <PlotArea
        label={`${title} over ${steps} steps: ${told(chosen) || 'nothing yet'}${mark ? `; ${mark.word} at step ${mark.step}` : ''}`}
        lines={[
          ...lines.flatMap(({ name, colour, ghost }) =>
            ghost === undefined ? [] : [{ ...ghost, label: `${name}, recorded`, colour, look: 'ghost' }],
          ),
          ...lines.flatMap(({ name, colour, thin }) =>
            thin === undefined
              ? []
              : [{ ...thin, label: `${name}, ${thin.name}`, colour, look: `thin ${name}` }],
          ),
          ...lines.map((line) => ({ ...line, label: line.name, look: line.name })),
        ]}
        sight={{ from: 0, to: steps, low, high }}
        stepTicks={[0, steps]}
        valueTicks={[low, high]}
        format={format}
        ends={ends}
        told={told}
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
