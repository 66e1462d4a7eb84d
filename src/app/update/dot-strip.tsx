/** Numbers as dots on a line, equal ones stacked. */
import { plainNumber } from '../numbers';
import { dotColumns } from './dot-columns';

/** In the picture's own units: it is stretched to the width there is, and dots stay round. */
const width = 300;
const height = 46;
/** Room for the block of the outermost value. */
const margin = 36;
const radius = 2.6;
const pitch = 2 * radius + 0.5;
const rows = Math.floor(height / pitch);

export interface Dot {
  value: number;
  colour: string;
  /** Drawn with a ring: the samples that are read below. */
  isChosen: boolean;
}

export function DotStrip({
  dots,
  range: [low, high],
  label,
}: {
  dots: readonly Dot[];
  range: readonly [number, number];
  label: string;
}) {
  const span = Math.max(1e-9, high - low);
  const x = (value: number): number => margin + ((value - low) / span) * (width - 2 * margin);
  const places = dotColumns(
    dots.map(({ value }) => x(value)),
    pitch,
    rows,
    width,
  );
  const zero = x(0);
  // Its number must not stand on that of an end.
  const isZeroApart = zero - x(low) > margin && x(high) - zero > margin;
  return (
    <div class="strip">
      <svg viewBox={`0 0 ${width} ${height + 4}`} role="img" aria-label={label}>
        <path class="base" d={`M0 ${height + 1}H${width}`} />
        {low <= 0 && high >= 0 ? <path class="zero" d={`M${zero} 0V${height + 4}`} /> : null}
        {dots.map(({ colour, isChosen }, index) => (
          <circle
            key={index}
            cx={places[index].x}
            cy={height - radius - places[index].y}
            r={radius}
            style={{ fill: colour }}
            class={isChosen ? 'chosen' : ''}
          />
        ))}
      </svg>
      <p class="ends" aria-hidden="true">
        {[low, high, ...(isZeroApart ? [0] : [])].map((value) => (
          <span key={value} style={{ left: `${(100 * x(value)) / width}%` }}>
            {plainNumber(value)}
          </span>
        ))}
      </p>
    </div>
  );
}
