/**
 * Draws docs/images/rooms.svg, the import graph of the rooms:
 *
 *     npx tsx scripts/room-picture.ts
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importsBelow, roomOf, root, type Imports } from './imports';

/** Room -> imported room -> whether only types are imported. */
export type RoomGraph = ReadonlyMap<string, ReadonlyMap<string, boolean>>;

export const picture = join(root, 'docs', 'images', 'rooms.svg');

/** Every room may import it, so it is a bar without arrows. */
const BASE = 'base';

/** Column of each box and its second line. The row follows from the imports. */
const BOXES: Record<string, [column: number, role: string]> = {
  app: [2.8, 'the page (Preact)'],
  command: [0.7, 'marble-rl in a terminal'],
  workers: [2.8, 'trainer and data sets'],
  index: [0.7, 'the library'],
  runs: [1.9, 'kept runs, no GPU'],
  export: [1.9, 'PEFT, model card'],
  plan: [0, 'memory and time of a run'],
  share: [0.85, 'links, run files, CSV'],
  rl: [1.9, 'rollouts, step, trainer'],
  store: [2.8, 'IndexedDB, downloads'],
  run: [1.1, 'config, events, verdict'],
  model: [0, 'transformer, LoRA, files'],
  ops: [0, 'kernels: WGSL, wasm'],
  reward: [2.3, 'format, answer, trace'],
  gpu: [0, 'device, kernels, memory'],
  objective: [1.1, 'advantages, KL, loss'],
  tom: [2, 'stories, beliefs, importers'],
};
const [WIDTH, HEIGHT, COLUMN, ROW, MARGIN] = [164, 42, 200, 74, 12];

export function roomGraph(imports: Imports): RoomGraph {
  const graph = new Map<string, Map<string, boolean>>();
  for (const [file, imported] of imports) {
    const room = roomOf(file);
    const edges = graph.get(room) ?? new Map<string, boolean>();
    if (room !== BASE) graph.set(room, edges);
    for (const { file: target, typeOnly } of imported) {
      const other = roomOf(target);
      if (other !== room && other !== BASE) edges.set(other, (edges.get(other) ?? true) && typeOnly);
    }
  }
  return graph;
}

function reachable(graph: RoomGraph, room: string, byTypes: boolean, found = new Set<string>()): Set<string> {
  for (const [other, typeOnly] of graph.get(room) ?? []) {
    if (found.has(other) || (typeOnly && !byTypes)) continue;
    found.add(other);
    reachable(graph, other, byTypes, found);
  }
  return found;
}

/** The graph without imports that a longer path implies (transitive reduction). A path with types implies only types. */
export function reduced(graph: RoomGraph): RoomGraph {
  const implies = (through: string, viaTypes: boolean, other: string, typeOnly: boolean): boolean =>
    through !== other && (typeOnly || !viaTypes) && reachable(graph, through, typeOnly).has(other);
  return new Map(
    [...graph].map(([room, edges]) => {
      const kept = [...edges].filter(
        ([other, typeOnly]) =>
          ![...edges].some(([through, viaTypes]) => implies(through, viaTypes, other, typeOnly)),
      );
      return [room, new Map(kept)] as const;
    }),
  );
}

/** Length of the longest path down from each room. */
function depthsOf(graph: RoomGraph): Map<string, number> {
  const depths = new Map<string, number>();
  const depth = (room: string): number => {
    if (!depths.has(room))
      depths.set(room, Math.max(0, ...[...graph.get(room)!.keys()].map((other) => depth(other) + 1)));
    return depths.get(room)!;
  };
  for (const room of graph.keys()) depth(room);
  return depths;
}

export function drawRooms(graph: RoomGraph): string {
  const depths = depthsOf(graph);
  const top = Math.max(...depths.values());
  const place = (room: string) => {
    if (!(room in BOXES))
      throw new Error(`scripts/room-picture.ts has no box for the room ${room}: add it to BOXES`);
    const x = MARGIN + BOXES[room][0] * COLUMN;
    return { x, y: MARGIN + (top - depths.get(room)!) * ROW, middle: x + WIDTH / 2 };
  };
  const rooms = [...graph.keys()].sort();
  const arrows = rooms.flatMap((room) =>
    [...reduced(graph).get(room)!].sort().map(([other, typeOnly]) => {
      const [from, to] = [place(room), place(other)];
      const line = `x1="${from.middle}" y1="${from.y + HEIGHT}" x2="${to.middle}" y2="${to.y - 2}"`;
      return `<line ${line}${typeOnly ? ' stroke-dasharray="5 4"' : ''}/>`;
    }),
  );
  const boxes = rooms.map((room) => {
    const { x, y, middle } = place(room);
    return [
      `<rect x="${x}" y="${y}" width="${WIDTH}" height="${HEIGHT}" rx="5"/>`,
      `<text x="${middle}" y="${y + 18}" class="name">${room}</text>`,
      `<text x="${middle}" y="${y + 34}">${BOXES[room][1]}</text>`,
    ].join('\n');
  });
  const width = 2 * MARGIN + WIDTH + Math.max(...Object.values(BOXES).map(([column]) => column)) * COLUMN;
  const floor = MARGIN + (top + 1) * ROW;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${floor + 30 + MARGIN}" width="${width}" role="img">
<title>Rooms of Marble. An arrow is an import, a dashed one of types alone.</title>
<style>rect { fill: #eef3fb; stroke: #5b6b85 } line { stroke: #5b6b85; stroke-width: 1.3; marker-end: url(#head) }
text { font: 11.5px system-ui, sans-serif; text-anchor: middle; fill: #222 } .name { font-weight: 600; font-size: 14px }</style>
<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#5b6b85"/></marker></defs>
<rect width="100%" height="100%" style="fill: #fff; stroke: none"/>
${[...arrows, ...boxes].join('\n')}
<rect x="${MARGIN}" y="${floor}" width="${width - 2 * MARGIN}" height="30" rx="5"/>
<text x="${width / 2}" y="${floor + 19}"><tspan class="name">base</tspan> errors, random numbers, hashes, statistics: every room may import it</text>
</svg>
`;
}

export const drawnFromImports = async (): Promise<string> =>
  drawRooms(roomGraph(await importsBelow(['src', 'workers'])));

if (process.argv[1]?.endsWith('room-picture.ts')) writeFileSync(picture, await drawnFromImports());
