/** Queue of charts to draw, one per task. Drawing all charts of a long run in one task would block the page. */
const waiting = new Set<() => void>();

export function inTurn(draw: () => void): void {
  if (waiting.size === 0) setTimeout(takeTurn);
  waiting.add(draw);
}

export const leaveTurn = (draw: () => void): boolean => waiting.delete(draw);

function takeTurn(): void {
  const [draw] = waiting;
  waiting.delete(draw);
  if (waiting.size > 0) setTimeout(takeTurn);
  draw?.();
}
