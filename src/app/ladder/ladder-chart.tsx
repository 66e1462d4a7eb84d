/** One plot of the ladder: a line for each model on axes that never move, named at its end; all plots share one crosshair. */
import type { Signal } from '@preact/signals';
import type { Point, Rung } from './rung';

export interface LadderLine {
  rung: Rung;
  points: readonly Point[];
  /** Of the recording, where the model trains here: in grey behind it. */
  ghost: readonly Point[];
}

export interface LadderChartProps {
  title: string;
  lines: readonly LadderLine[];
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

export function LadderChart({ title, lines, steps, range: [low, high], format, at }: LadderChartProps) {
  const x = (step: number): number => (step / steps) * width;
  const y = (value: number): number =>
    height - (Math.min(1, Math.max(0, (value - low) / (high - low))) || 0) * height;
  const path = (points: readonly Point[]): string =>
    points
      .map(({ step, value }, i) => `${i === 0 ? 'M' : 'L'}${x(step).toFixed(1)} ${y(value).toFixed(1)}`)
      .join('');
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
    lines.flatMap(({ rung, points }) => {
      const value = valueOf(points);
      return value === null ? [] : [{ rung, value, top: (100 * y(value)) / height }];
    }),
  );
  const told = named.map(({ rung, value }) => `${rung.name} ${format(value)}`).join(', ');
  return (
    <figure class="ladder-chart">
      <figcaption>
        <h2>{title}</h2>
        <span class="bounds">{chosen === null ? null : `step ${chosen}`}</span>
      </figcaption>
      <div
        class="ladder-plot"
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
          {lines.map(({ rung, ghost }) => (
            <path key={rung.name} class="ghost" d={path(ghost)} />
          ))}
          {lines.map(({ rung, points }) => (
            <path
              key={rung.name}
              d={path(points)}
              style={{ stroke: `var(${rung.colour})` }}
              class={rung.name}
            />
          ))}
          {chosen === null ? null : <path class="cross" d={`M${x(chosen)} 0L${x(chosen)} ${height}`} />}
        </svg>
        <span class="tick" aria-hidden="true" style={{ top: 0 }}>
          {format(high)}
        </span>
        <span class="tick" aria-hidden="true" style={{ top: '100%' }}>
          {format(low)}
        </span>
        {named.map(({ rung, value, top }) => (
          <span
            key={rung.name}
            class="end"
            aria-hidden="true"
            style={{ top: `${top}%`, color: `var(${rung.colour})` }}
          >
            {rung.name} <b>{format(value)}</b>
          </span>
        ))}
      </div>
    </figure>
  );
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
