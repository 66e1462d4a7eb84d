/** Numbers as dots on a line; equal ones stand in a block, with their number above it and their value below. */
import { median } from '../../base/statistics';
import { dotColumns, type DotBlock } from './dot-columns';

/** In the picture's own units: it is stretched to the width there is, and dots stay round. */
const width = 300;
const height = 46;
/** Room for the block of the outermost value. */
const margin = 36;
/** Of a dot, where there is enough. */
const roomyPitch = 5.7;
/** Of a block's number: its room above the block, and from its middle to that of a larger block. */
const countRoom = 13;
const countApart = 24;
/** Fewer are counted at a look. */
const leastCounted = 4;
/** Of a value below the line: the room of a sign, and between two values. */
const signRoom = 8.5;
const valueGap = 3;

export interface Dot {
  value: number;
  colour: string;
  /** Drawn with a ring: the samples that are read below. */
  isChosen: boolean;
  /** Drawn larger: the answer that is told in words. */
  isTold: boolean;
  /** What it says of itself. */
  words: string;
}

export function DotStrip({
  dots,
  range: [low, high],
  label,
  words,
  onPress,
}: {
  dots: readonly Dot[];
  range: readonly [number, number];
  label: string;
  /** A value as it is written below the line. */
  words: (value: number) => string;
  /** The dot nearest to where somebody has pressed: each is smaller than a finger. */
  onPress: (index: number) => void;
}) {
  const span = Math.max(1e-9, high - low);
  const x = (value: number): number => margin + ((value - low) / span) * (width - 2 * margin);
  const zero = x(0);
  const {
    dots: places,
    blocks,
    pitch,
  } = dotColumns(
    dots.map(({ value }) => x(value)),
    { width, height, zero, pitch: roomyPitch },
  );
  const radius = (pitch - 0.5) / 2;
  const labels = valueLabels(
    blocks.map(({ x: middle, members }) => ({
      at: middle,
      words: middle === zero ? '0' : words(median(members.map((i) => dots[i].value))),
      count: members.length,
    })),
    zero,
  );
  return (
    <div class="strip">
      <svg
        viewBox={`0 ${-countRoom} ${width} ${height + 4 + countRoom}`}
        role="img"
        aria-label={label}
        onClick={({ currentTarget, clientX, clientY }) => {
          const { left, top, width: whole } = currentTarget.getBoundingClientRect();
          const [atX, atY] = [clientX - left, clientY - top].map((length) => (length * width) / whole);
          const far = places.map((dot) => Math.hypot(dot.x - atX, height + countRoom - radius - dot.y - atY));
          onPress(far.indexOf(Math.min(...far)));
        }}
      >
        <path class="base" d={`M0 ${height + 1}H${width}`} />
        {blocks.map(({ x, members, top }) =>
          !isCounted(blocks, x, members.length) ? null : (
            <text key={x} class="count" x={x} y={height - top - 2 * radius - 3}>
              {members.length}
            </text>
          ),
        )}
        {dots.map(({ colour, isChosen, isTold, words }, index) => (
          <circle
            key={index}
            cx={places[index].x}
            cy={height - radius - places[index].y}
            r={isTold ? 1.5 * radius : radius}
            style={{ fill: colour, strokeWidth: 0.54 * radius }}
            class={isChosen || isTold ? 'chosen' : ''}
          >
            <title>{words}</title>
          </circle>
        ))}
        {/* Upon the dots of 0, which stand on it. */}
        <path class="zero" d={`M${zero} 0V${height + 4}`} />
      </svg>
      <p class="ends" aria-hidden="true">
        {labels.map(({ at, words }) => (
          <span key={at} style={{ left: `${(100 * at) / width}%` }}>
            {words}
          </span>
        ))}
      </p>
    </div>
  );
}

/** The larger of two neighbours has its number where there is no room for both. */
function isCounted(blocks: readonly DotBlock[], x: number, count: number): boolean {
  return (
    count >= leastCounted &&
    blocks.every(
      (other) => other.x === x || other.members.length < count || Math.abs(other.x - x) >= countApart,
    )
  );
}

interface ValueLabel {
  at: number;
  words: string;
  /** Of the dots. */
  count: number;
}

/** The value of the largest block, of the outermost ones, of those that are counted, zero and all others, as far as none stands upon another. */
function valueLabels(blocks: readonly ValueLabel[], zero: number): ValueLabel[] {
  const ends = blocks.length === 0 ? [] : [blocks[0], blocks[blocks.length - 1]];
  const others = blocks.toSorted((one, other) => other.count - one.count);
  const shown: ValueLabel[] = [];
  const counted = others.filter(({ count }) => count >= leastCounted);
  for (const label of [
    ...others.slice(0, 1),
    ...ends,
    ...counted,
    { at: zero, words: '0', count: 0 },
    ...others,
  ]) {
    const room = (other: ValueLabel): number =>
      (signRoom * (label.words.length + other.words.length)) / 2 + valueGap;
    if (shown.every((other) => Math.abs(other.at - label.at) >= room(other))) shown.push(label);
  }
  return shown;
}
