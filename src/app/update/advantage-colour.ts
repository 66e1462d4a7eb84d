/** Colours of an update: one hue for a push up and one for a push down, paler for smaller advantages. */

/** @param largest - advantage with the full colour */
export function advantageColour(advantage: number, largest: number): string {
  const share = largest === 0 ? 0 : Math.min(1, Math.abs(advantage) / largest);
  if (share < 0.01) return 'var(--unmoved)';
  const hue = advantage > 0 ? '--likelier' : '--unlikelier';
  return `color-mix(in oklab, var(${hue}) ${Math.round(30 + 70 * share)}%, var(--unmoved))`;
}
