/** Numbers as the page writes them. */

export function plainNumber(value: number): string {
  const size = Math.abs(value);
  return String(Number(value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 || size === 0 ? 2 : 4)));
}

export const percent = (value: number): string => `${Math.round(value * 100)} %`;

/** With its sign, to two digits: `+1.5`, `−0.5`, `+0`. */
export function signedNumber(value: number): string {
  const rounded =
    Math.abs(value) < 0.005
      ? '0'
      : Math.abs(value)
          .toFixed(2)
          .replace(/\.?0+$/, '');
  return value < 0 && rounded !== '0' ? `−${rounded}` : `+${rounded}`;
}
