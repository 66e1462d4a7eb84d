/** Numbers as dots on a line; equal ones stand in a block, with their number above it and their value below. */
import { median } from '../../base/statistics';

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

// Where the dots stand: equal numbers, and nearly equal ones, make a block on their side of zero.

interface PlacedDot {
  x: number;
  /** Above the line. */
  y: number;
}

/** Dots of one number, or of numbers nearer to each other than a dot is wide. */
interface DotBlock {
  /** Its middle. */
  x: number;
  /** Which dots it holds, from the smallest number to the largest. */
  members: number[];
  /** Where its uppermost row stands, above the line. */
  top: number;
}

/** Lengths in the picture's own units. */
interface StripSize {
  /** Beyond its ends no block goes. */
  width: number;
  height: number;
  /** Where 0 lies, which no block crosses but that of 0. */
  zero: number;
  /** The room that a dot takes, where there is enough. */
  pitch: number;
}

/** Dots are drawn smaller before they are pressed together, but not by more than this. */
const leastPitch = 2.9;
const pitchStep = 0.2;
/** What lies nearer to zero counts as 0: nobody sees the difference. */
const nearZero = 1;

interface Group {
  x: number;
  members: number[];
}

interface Room {
  from: number;
  to: number;
}

/** @param xs where each number lies on the line */
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

/** Numbers with less than a dot between each and the next are one block, and those on two sides of zero never. */
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

/** Between two blocks the room is shared by how many dots each has; it ends at zero and at the ends of the picture. */
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
    // The block of 0 stands on its line with as much to the left as to the right.
    const half = Math.min(zero - from, to - zero);
    return { from: zero - half, to: zero + half };
  });
}
