/** Numbers as dots on a line. Equal ones form a block, with their count above it and their value below. */
import { median } from '../../base/statistics';

/** In units of the picture, which is stretched to the available width. Dots stay round. */
const width = 300;
const height = 46;
/** Space for the block of the outermost value. */
const margin = 36;
/** Space per dot, if there is enough. */
const roomyPitch = 5.7;
/** Height of a block's count. */
const countRoom = 13;
/** Smaller blocks show no count. */
const leastCounted = 4;
/** Width of a character of a label. */
const signRoom = 8.5;

export interface Dot {
  value: number;
  colour: string;
  /** Drawn larger and with a ring, for the answer described in words. */
  isTold: boolean;
}

export function DotStrip(props: {
  dots: readonly Dot[];
  range: readonly [number, number];
  label: string;
  /** Formats a value below the line. */
  words: (value: number) => string;
  /** Receives the dot nearest to the click, since a dot is smaller than a finger. */
  onPress: (index: number) => void;
}) {
  const { dots, label, words, onPress } = props;
  const [low, high] = props.range;
  const span = Math.max(1e-9, high - low);
  const x = (value: number): number => margin + ((value - low) / span) * (width - 2 * margin);
  const zero = x(0);
  const xs = dots.map(({ value }) => x(value));
  const { places, blocks, pitch } = dotColumns(xs, { width, height, zero, pitch: roomyPitch });
  const radius = (pitch - 0.5) / 2;
  const bySize = blocks.toSorted((one, other) => other.members.length - one.members.length);
  const labels = withRoom([
    ...bySize.map(({ x: middle, members, top }) => {
      const value = median(members.map((i) => dots[i].value));
      return { x: middle, words: middle === zero ? '0' : words(value), count: members.length, top };
    }),
    { x: zero, words: '0', count: 0, top: 0 },
  ]);
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
          if (far.length > 0) onPress(far.indexOf(Math.min(...far)));
        }}
      >
        <path class="base" d={`M0 ${height + 1}H${width}`} />
        {labels.map(({ x, count, top }) =>
          count < leastCounted ? null : (
            <text key={x} class="count small" x={x} y={height - top - 2 * radius - 3}>
              {count}
            </text>
          ),
        )}
        {dots.map(({ colour, isTold }, index) => (
          <circle
            key={index}
            cx={places[index].x}
            cy={height - radius - places[index].y}
            r={isTold ? 1.5 * radius : radius}
            style={{ fill: colour, strokeWidth: 0.54 * radius }}
            class={isTold ? 'chosen' : ''}
          />
        ))}
        {/* Drawn over the dots at 0. */}
        <path class="zero" d={`M${zero} 0V${height + 4}`} />
      </svg>
      <p class="ends small quiet" aria-hidden="true">
        {labels.map(({ x, words }) => (
          <span key={x} style={{ left: `${(100 * x) / width}%` }}>
            {words}
          </span>
        ))}
      </p>
    </div>
  );
}

/** The labels that overlap no earlier one. */
function withRoom<Label extends { x: number; words: string }>(labels: readonly Label[]): Label[] {
  const shown: Label[] = [];
  for (const label of labels) {
    const room = (other: Label): number => (signRoom * (label.words.length + other.words.length + 1)) / 2;
    if (shown.every((other) => Math.abs(other.x - label.x) >= room(other))) shown.push(label);
  }
  return shown;
}

/** Dots of equal numbers, or of numbers closer than the width of a dot. */
interface DotBlock {
  /** Position of its centre. */
  x: number;
  /** Indices of its dots, from the smallest number to the largest. */
  members: number[];
  /** Height of its top row above the line. */
  top: number;
}

/** In units of the picture. */
interface StripSize {
  width: number;
  height: number;
  /** Position of 0. Only the block of 0 crosses it. */
  zero: number;
  /** Space per dot, if there is enough. */
  pitch: number;
}

/** Dots shrink before their blocks leave the picture, down to this space per dot. */
const leastPitch = 2.9;
const pitchStep = 0.2;
/** Numbers closer to zero than this count as 0, since the difference is invisible. */
const nearZero = 1;

/**
 * Places each block at its number, or, if that overlaps the next block towards zero, just outside of that block.
 *
 * @param xs - position of each number on the line
 * @returns `places`: centre of each dot, with its height above the line
 */
export function dotColumns(
  xs: readonly number[],
  size: StripSize,
): { places: { x: number; y: number }[]; blocks: DotBlock[]; pitch: number } {
  const groups = groupsOf(xs, size);
  let { pitch } = size;
  let placed = placeGroups(groups, size, pitch);
  const fits = (): boolean => placed.every(({ x, half }) => x - half >= 0 && x + half <= size.width);
  while (!fits() && pitch - pitchStep >= leastPitch) {
    pitch -= pitchStep;
    placed = placeGroups(groups, size, pitch);
  }
  const places: { x: number; y: number }[] = [];
  const blocks = placed.map(({ x, half, members }): DotBlock => {
    const middle = Math.max(half, Math.min(size.width - half, x));
    const columns = Math.round((2 * half) / pitch);
    members.forEach((member, place) => {
      const column = (place % columns) - (columns - 1) / 2;
      places[member] = { x: middle + column * pitch, y: Math.floor(place / columns) * pitch };
    });
    return { x: middle, members, top: (Math.ceil(members.length / columns) - 1) * pitch };
  });
  return { places, blocks, pitch };
}

/** Groups neighbours that are closer than the width of a dot. Numbers on different sides of zero are never grouped. */
function groupsOf(xs: readonly number[], { zero, pitch }: StripSize) {
  const sideOf = (x: number): number => (Math.abs(x - zero) <= nearZero ? 0 : Math.sign(x - zero));
  const order = xs.map((_, i) => i).sort((one, other) => xs[one] - xs[other]);
  const lists: number[][] = [];
  for (const i of order) {
    const last = lists.at(-1)?.at(-1);
    const joins = last !== undefined && xs[i] - xs[last] < pitch && sideOf(xs[i]) === sideOf(xs[last]);
    if (joins) lists[lists.length - 1].push(i);
    else lists.push([i]);
  }
  return lists.map((members) => ({
    x: sideOf(xs[members[0]]) === 0 ? zero : xs[members[Math.floor(members.length / 2)]],
    members,
  }));
}

/** Pushes the blocks outwards from zero until none overlaps another. `half` is half of a block's width. */
function placeGroups(groups: ReturnType<typeof groupsOf>, { height, zero }: StripSize, pitch: number) {
  const rows = Math.floor(height / pitch);
  const placed = groups.map((group) => ({
    ...group,
    half: (pitch * Math.ceil(group.members.length / rows)) / 2,
  }));
  for (const side of [1, -1]) {
    let edge = placed.find(({ x }) => x === zero)?.half ?? 0;
    const away = ({ x }: { x: number }): number => side * (x - zero);
    const outwards = placed.filter((group) => away(group) > 0).sort((one, other) => away(one) - away(other));
    for (const group of outwards) {
      group.x = zero + side * Math.max(away(group), edge + group.half);
      edge = away(group) + group.half;
    }
  }
  return placed;
}
