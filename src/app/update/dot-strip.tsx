/** Numbers as dots on a line. Equal ones form a block, with their count above it and their value below. */
import { median } from '../../base/statistics';

/** In units of the picture, which is stretched to the available width. Dots stay round. */
const width = 300;
const height = 46;
/** Space for the block of the outermost value. */
const margin = 36;
/** Space per dot, if there is enough. */
const roomyPitch = 5.7;
/** Height of a block's count, and the minimum distance from the centre of a larger block. */
const countRoom = 13;
const countApart = 24;
/** Smaller blocks show no count. */
const leastCounted = 4;
/** Width of a character of a value below the line, and the gap between two values. */
const signRoom = 8.5;
const valueGap = 3;

export interface Dot {
  value: number;
  colour: string;
  /** Drawn with a ring, for the samples listed below. */
  isChosen: boolean;
  /** Drawn larger, for the answer described in words. */
  isTold: boolean;
  /** Text of the dot's tooltip. */
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
  /** Formats a value below the line. */
  words: (value: number) => string;
  /** Receives the dot nearest to the click, since a dot is smaller than a finger. */
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
        {/* Drawn over the dots at 0. */}
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

/** True if the block shows its count. Of two blocks without room for both counts only the larger shows one. */
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
  /** Number of dots. */
  count: number;
}

/**
 * Values to show, without overlaps. In order of priority: the largest block, the outermost blocks, those with counts, zero,
 * all others.
 */
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

// Positions of the dots. Equal and nearly equal numbers form a block on their side of zero.

interface PlacedDot {
  x: number;
  /** Height above the line. */
  y: number;
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
  /** Blocks stay within this width. */
  width: number;
  height: number;
  /** Position of 0. Only the block of 0 crosses it. */
  zero: number;
  /** Space per dot, if there is enough. */
  pitch: number;
}

/** Dots shrink before they overlap, down to this space per dot. */
const leastPitch = 2.9;
const pitchStep = 0.2;
/** Numbers closer to zero than this count as 0, since the difference is invisible. */
const nearZero = 1;

interface Group {
  x: number;
  members: number[];
}

interface Room {
  from: number;
  to: number;
}

/** @param xs - position of each number on the line */
export function dotColumns(
  xs: readonly number[],
  size: StripSize,
): { dots: PlacedDot[]; blocks: DotBlock[]; pitch: number } {
  const groups = groupsOf(xs, size);
  let { pitch } = size;
  let rooms = roomsOf(groups, size, pitch);
  const fits = (): boolean => {
    const rows = Math.floor(size.height / pitch);
    return groups.every(
      ({ x, members }, i) =>
        pitch * Math.ceil(members.length / rows) <= 2 * Math.min(x - rooms[i].from, rooms[i].to - x) + 1e-9,
    );
  };
  while (!fits() && pitch - pitchStep >= leastPitch) {
    pitch -= pitchStep;
    rooms = roomsOf(groups, size, pitch);
  }
  const rows = Math.floor(size.height / pitch);
  const dots: PlacedDot[] = [];
  const blocks = groups.map(({ x, members }, i): DotBlock => {
    const { from, to } = rooms[i];
    const columns = Math.max(1, Math.floor((to - from) / pitch + 1e-9));
    const wide = Math.min(columns, Math.ceil(members.length / rows));
    const high = Math.ceil(members.length / wide);
    const rise = Math.min(pitch, (pitch * (rows - 1)) / Math.max(1, high - 1));
    const half = (wide * pitch) / 2;
    const middle = Math.max(from + half, Math.min(to - half, x));
    members
      .toSorted((one, other) => one - other)
      .forEach((member, place) => {
        dots[member] = {
          x: middle + ((place % wide) - (wide - 1) / 2) * pitch,
          y: Math.floor(place / wide) * rise,
        };
      });
    return { x: middle, members, top: (high - 1) * rise };
  });
  return { dots, blocks, pitch };
}

/** Groups neighbours that are closer than the width of a dot. Numbers on different sides of zero are never grouped. */
function groupsOf(xs: readonly number[], { zero, pitch }: StripSize): Group[] {
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

/** Divides the space between two blocks in proportion to their dots. Zero and the edges of the picture limit the space. */
function roomsOf(groups: readonly Group[], { width, zero }: StripSize, pitch: number): Room[] {
  const borders = groups.slice(1).map((right, i) => {
    const left = groups[i];
    const share = left.members.length / (left.members.length + right.members.length);
    const border = left.x + share * (right.x - left.x);
    return Math.max(left.x + pitch / 2, Math.min(right.x - pitch / 2, border));
  });
  return groups.map(({ x }, i) => {
    const from = i === 0 ? 0 : borders[i - 1];
    const to = borders.at(i) ?? width;
    if (x > zero) return { from: Math.max(from, zero + 1), to };
    if (x < zero) return { from, to: Math.min(to, zero - 1) };
    // The block of 0 is centred on its line, with equal space on both sides.
    const half = Math.min(zero - from, to - zero);
    return { from: zero - half, to: zero + half };
  });
}
