/** A small curve for the first look: one line or two, the values at both ends in words above it. */
import { Term } from '../words/term';

export interface Line {
  /** Name of a custom property of style.css. */
  colour: string;
  points: readonly { step: number; value: number }[];
  dashed?: boolean;
}

export interface CurveProps {
  title: string;
  /** How it was measured. */
  by: 'greedy' | 'sampled';
  /** Stands beside the title: from where to where it went. */
  figures: readonly { words: string; colour: string }[];
  lines: readonly Line[];
  /** Steps of the whole run. */
  steps: number;
  range: readonly [low: number, high: number];
  /** Up to this step the lines are drawn. */
  until: number;
}

const width = 240;
const height = 64;

export function Curve({ title, by, figures, lines, steps, range: [low, high], until }: CurveProps) {
  const x = (step: number): number => (step / Math.max(1, steps)) * width;
  const y = (value: number): number => height - ((value - low) / Math.max(1e-9, high - low)) * height;
  const path = (points: Line['points']): string =>
    points
      .filter(({ step }) => step <= until)
      .map(
        ({ step, value }, index) => `${index === 0 ? 'M' : 'L'}${x(step).toFixed(1)} ${y(value).toFixed(1)}`,
      )
      .join('');
  return (
    <figure class="curve">
      <figcaption>
        <b>
          {title}, <Term word={by} />
        </b>
        {figures.map(({ words, colour }) => (
          <span key={words} style={{ color: `var(${colour})` }}>
            {words}
          </span>
        ))}
      </figcaption>
      <svg viewBox={`0 -3 ${width} ${height + 6}`} preserveAspectRatio="none" aria-hidden="true">
        <path class="base" d={`M0 ${height}L${width} ${height}`} />
        {lines.map(({ colour, points, dashed }) => (
          <path
            key={colour}
            d={path(points)}
            style={{ stroke: `var(${colour})` }}
            stroke-dasharray={dashed === true ? '5 4' : undefined}
          />
        ))}
      </svg>
    </figure>
  );
}
