/**
 * Draws the import graph of the rooms in docs/architecture.md, as Mermaid, which GitHub renders:
 *
 *     npx tsx scripts/room-picture.ts
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importsBelow, roomOf, root, type Imports } from './imports';

/** Room -> imported room -> whether only types are imported. */
type RoomGraph = ReadonlyMap<string, ReadonlyMap<string, boolean>>;

/** Every room may import it, so it has no arrows. */
const BASE = 'base';

function roomGraph(imports: Imports): RoomGraph {
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
function reduced(graph: RoomGraph): RoomGraph {
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

export async function drawnFromImports(): Promise<string> {
  const graph = reduced(roomGraph(await importsBelow(['src', 'workers'])));
  const arrows = [...graph].flatMap(([room, edges]) =>
    Array.from(edges, ([other, typeOnly]) => `  ${room} ${typeOnly ? '-.->' : '-->'} ${other}`),
  );
  return ['```mermaid', 'flowchart TD', ...arrows.sort(), '```'].join('\n');
}

if (process.argv[1]?.endsWith('room-picture.ts')) {
  const page = join(root, 'docs', 'architecture.md');
  const drawn = await drawnFromImports();
  writeFileSync(
    page,
    readFileSync(page, 'utf8').replace(/^```mermaid$[^]*?^```$/m, () => drawn),
  );
}
