/** Where the dots of a strip stand: equal numbers, and nearly equal ones, make a block on their side of zero. */

export interface PlacedDot {
  x: number;
  /** Above the line. */
  y: number;
}

/** Dots of one number, or of numbers nearer to each other than a dot is wide. */
export interface DotBlock {
  /** Its middle. */
  x: number;
  /** Which dots it holds, from the smallest number to the largest. */
  members: number[];
  /** Where its uppermost row stands, above the line. */
  top: number;
}

/** Lengths in the picture's own units. */
export interface StripSize {
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
