/** @returns one of the values: the upper one of the two in the middle of an even number; NaN of none */
export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN;
}
