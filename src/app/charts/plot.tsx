/** A plot for the first look: lines on axes that hardly move, named at their ends; plots side by side share one crosshair. */
import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

export interface Point {
  step: number;
  value: number;
}

export interface PlotLine {
  name: string;
  /** A custom property of style.css. */
  colour: string;
  points: readonly Point[];
  /** Of a recording of the same, in grey behind it. */
  ghost: readonly Point[];
  /** A second line of the same, which is not named. */
  thin?: { name: string; points: readonly Point[] };
}

export interface PlotProps {
  title: string;
  /** What the title means. */
  help?: ComponentChildren;
  lines: readonly PlotLine[];
  steps: number;
  range: readonly [low: number, high: number];
  format: (value: number) => string;
  /** The step under the crosshair; null without one. */
  at: Signal<number | null>;
}

/** Of the drawing; it is stretched to its place. */
const width = 480;
const height = 150;
/** Labels at the ends keep this distance, in per cent of the height. */
const labelGap = 13;

export function Plot({ title, help, lines, steps, range: [low, high], format, at }: PlotProps) {
  const x = (step: number): number => (step / steps) * width;
  const y = (value: number): number =>
    height - (Math.min(1, Math.max(0, (value - low) / (high - low))) || 0) * height;
  /** A point alone is a dot. */
  const path = (points: readonly Point[]): string =>
    thinned(points)
      .map(({ step, value }, i) => `${i === 0 ? 'M' : 'L'}${x(step).toFixed(1)} ${y(value).toFixed(1)}`)
      .join('') + (points.length === 1 ? 'h.01' : '');
  const chosen = at.value;
  const valueOf = (points: readonly Point[]): number | null =>
    (chosen === null ? points.at(-1) : points.findLast(({ step }) => step <= chosen))?.value ?? null;
  const moveTo = (step: number): void => {
    at.value = Math.min(steps, Math.max(0, step));
  };
  const onPointer = (event: PointerEvent): void => {
    const { left, width: whole } = (event.currentTarget as Element).getBoundingClientRect();
    moveTo(Math.round(((event.clientX - left) / whole) * steps));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const from = chosen ?? steps;
    const places: Record<string, number> = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: steps };
    if (!(event.key in places)) return;
    event.preventDefault();
    moveTo(places[event.key]);
  };
  const named = apart(
    lines.flatMap(({ name, colour, points, thin }) => {
      const value = valueOf(points);
      const other = thin === undefined ? null : valueOf(thin.points);
      const beside = thin === undefined || other === null ? '' : ` (${thin.name} ${format(other)})`;
      return value === null ? [] : [{ name, colour, value, beside, top: (100 * y(value)) / height }];
    }),
  );
  const told = named.map(({ name, value, beside }) => `${name} ${format(value)}${beside}`).join(', ');
  return (
    <figure class="plot-figure">
      <figcaption>
        <h2>
          {title} {help}
        </h2>
        <span class="bounds">
          {chosen !== null ? (
            `step ${chosen}`
          ) : lines.some(({ ghost }) => ghost.length > 0) ? (
            <span class="ghost-word">grey: recorded</span>
          ) : null}
        </span>
      </figcaption>
      <div
        class="plot-area"
        tabIndex={0}
        role="img"
        aria-label={`${title} over ${steps} steps: ${told || 'nothing yet'}`}
        onPointerMove={onPointer}
        onPointerLeave={() => (at.value = null)}
        onKeyDown={onKeyDown}
        onBlur={() => (at.value = null)}
      >
        <svg viewBox={`0 -3 ${width} ${height + 6}`} preserveAspectRatio="none" aria-hidden="true">
          <path class="base" d={`M0 ${height}L${width} ${height}`} />
          {lines.map(({ name, ghost }) => (
            <path key={name} class="ghost" d={path(ghost)} />
          ))}
          {lines.map(({ name, colour, thin }) => (
            <path
              key={name}
              class={`thin ${name}`}
              d={path(thin?.points ?? [])}
              style={{ stroke: `var(${colour})` }}
            />
          ))}
          {lines.map(({ name, colour, points }) => (
            <path key={name} d={path(points)} style={{ stroke: `var(${colour})` }} class={name} />
          ))}
          {chosen === null ? null : <path class="cross" d={`M${x(chosen)} 0L${x(chosen)} ${height}`} />}
        </svg>
        <span class="tick" aria-hidden="true" style={{ top: 0 }}>
          {format(high)}
        </span>
        <span class="tick" aria-hidden="true" style={{ top: '100%' }}>
          {format(low)}
        </span>
        <span class="step-tick" aria-hidden="true">
          0
          <span>
            {steps} <span class="word">steps</span>
          </span>
        </span>
        {named.map(({ name, colour, value, top }) => (
          <span key={name} class="end" aria-hidden="true" style={{ top: `${top}%`, color: `var(${colour})` }}>
            {name} <b>{format(value)}</b>
          </span>
        ))}
      </div>
    </figure>
  );
}

/** No more points than the drawing is wide, the last among them: a run may have 200,000 steps. */
export function thinned(points: readonly Point[]): readonly Point[] {
  const every = Math.ceil(points.length / width);
  return every < 2 ? points : points.filter((_, index) => (points.length - 1 - index) % every === 0);
}

/** Labels moved so far apart that none covers another, in their order from above. */
function apart<T extends { top: number }>(labels: readonly T[]): T[] {
  const sorted = [...labels].sort((one, other) => one.top - other.top).map((label) => ({ ...label }));
  sorted.forEach((label, index) => {
    if (index > 0) label.top = Math.max(label.top, sorted[index - 1].top + labelGap);
  });
  // What was pushed out below goes back up.
  let least = 100;
  for (const label of sorted.toReversed()) {
    label.top = Math.min(label.top, least);
    least = label.top - labelGap;
  }
  return sorted;
}
