/** Lines over steps: drawn, named at their ends, pointed at by mouse or by keys. All plots of the page share one crosshair. */
import { useSignal, type Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { crosshair } from './chart-view';
import {
  across,
  areaBetween,
  dashOf,
  dotsOf,
  down,
  height,
  pathOf,
  stepsOf,
  toldAt,
  width,
} from './lines/curve';
import type { ChartLine, Sight } from './lines/curve';

export interface LineEnd {
  key: string;
  /** A custom property of style.css. */
  colour: string;
  /** Beside which it stands. */
  value: number;
  label: ComponentChildren;
}

export interface PlotAreaProps {
  /** What it is, and what is seen of it, for those who do not see it. */
  label: string;
  lines: readonly ChartLine[];
  sight: Sight;
  stepTicks: readonly number[];
  valueTicks: readonly number[];
  format: (value: number) => string;
  ends: readonly LineEnd[];
  /** The step that the whole page shows: marked here, and moved by the arrow keys. */
  lookedAt?: Signal<number | null>;
  /** One at which something is said. */
  mark?: number | null;
  children?: ComponentChildren;
}

/** Labels at the ends keep this distance, in per cent of the height. */
const labelGap = 14;

export function PlotArea(props: PlotAreaProps) {
  const { label, lines, sight, stepTicks, valueTicks, format, ends, mark = null, children } = props;
  const lookedAt = props.lookedAt?.value ?? null;
  const spoken = useSignal('');
  useEffect(() => () => void (crosshair.value = null), []);

  const onPointerMove = (event: PointerEvent): void => {
    const { left, width: whole } = (event.currentTarget as Element).getBoundingClientRect();
    const part = Math.min(1, Math.max(0, (event.clientX - left) / whole));
    crosshair.value = Math.round(sight.from + part * (sight.to - sight.from));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const steps = stepsOf(lines);
    const step = neighbour(steps, crosshair.value ?? lookedAt, event.key);
    if (step === null) return;
    event.preventDefault();
    crosshair.value = step;
    if (props.lookedAt !== undefined) props.lookedAt.value = step;
    spoken.value = `Step ${step}: ${toldAt(lines, step, format) || 'no value'}`;
  };
  const x = (step: number): number => across(step, sight);
  const upright = (name: string, step: number | null) =>
    step === null || step < sight.from || step > sight.to ? null : (
      <path class={name} d={`M${x(step)} 0V${height}`} />
    );
  const percentAcross = (step: number): string => `${(100 * x(step)) / width}%`;
  const percentDown = (value: number): number => (100 * down(value, sight)) / height;
  return (
    <div
      class="plot-area"
      tabIndex={0}
      role="group"
      aria-roledescription="chart"
      aria-label={label}
      onPointerMove={onPointerMove}
      onPointerLeave={() => (crosshair.value = null)}
      onKeyDown={onKeyDown}
      onBlur={() => (crosshair.value = null)}
    >
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        <path class="base" d={valueTicks.map((tick) => `M0 ${down(tick, sight)}H${width}`).join('')} />
        {lines.map((line) => (
          <Line key={line.label} line={line} sight={sight} />
        ))}
        {upright('looked-at', lookedAt)}
        {upright('mark', mark)}
        {upright('cross', crosshair.value)}
      </svg>
      {valueTicks.map((tick) => (
        <span key={tick} class="tick" aria-hidden="true" style={{ top: `${percentDown(tick)}%` }}>
          {format(tick)}
        </span>
      ))}
      {stepTicks.map((tick, index) => (
        <span key={tick} class="step-tick" aria-hidden="true" style={{ left: percentAcross(tick) }}>
          {tick}
          {index < stepTicks.length - 1 ? null : <span class="word"> steps</span>}
        </span>
      ))}
      {apart(ends.map((end) => ({ ...end, top: percentDown(end.value) }))).map((end) => (
        <span
          key={end.key}
          class="end"
          aria-hidden="true"
          style={{ top: `${end.top}%`, color: `var(${end.colour})` }}
        >
          {end.label}
        </span>
      ))}
      {children}
      <p class="visually-hidden" aria-live="polite">
        {spoken}
      </p>
    </div>
  );
}

function Line({ line, sight }: { line: ChartLine; sight: Sight }) {
  const { steps, values, band, points, colour, look = '' } = line;
  const { from, to, low, high } = sight;
  const drawn = useMemo(
    () => ({
      line: pathOf(line, sight),
      dots: points === true ? dotsOf(line, sight) : null,
      area:
        band === undefined
          ? null
          : areaBetween({ steps, values: band.low }, { steps, values: band.high }, sight),
    }),
    [steps, values, band, points, from, to, low, high],
  );
  const style = { '--line': `var(${colour})` };
  return (
    <g class={look} style={style}>
      {drawn.area === null ? null : <path class="band" d={drawn.area} />}
      <path d={drawn.line} stroke-dasharray={dashOf(line).join(' ')} />
      {drawn.dots === null ? null : <path class="points" d={drawn.dots} />}
    </g>
  );
}

/** Where a key leads from a step, or from the last one; null where the key leads nowhere. */
function neighbour(steps: readonly number[], from: number | null, key: string): number | null {
  const last = steps.length - 1;
  const at = from === null ? last : steps.findLastIndex((step) => step <= from);
  const moves: Readonly<Record<string, number | undefined>> = {
    ArrowLeft: at - 1,
    ArrowRight: at + 1,
    PageUp: at - 10,
    PageDown: at + 10,
    Home: 0,
    End: last,
  };
  const place = moves[key];
  return place === undefined || last < 0 ? null : steps[Math.min(last, Math.max(0, place))];
}

/** Labels moved so far apart that none covers another, in their order from above. */
function apart<T extends { top: number }>(labels: readonly T[]): T[] {
  const sorted = [...labels].sort((one, other) => one.top - other.top);
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
