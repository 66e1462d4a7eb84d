const toThreeDigits = (value: number): number => Number(value.toPrecision(3));

function inUnits(value: number, units: readonly string[]): string {
  const size = toThreeDigits(value);
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, size)) / 3));
  return `${toThreeDigits(size / 1000 ** power)}${units[power]}`;
}

/** `988 MB`, to three digits. */
export const sizeWords = (bytes: number): string => inUnits(bytes, [' bytes', ' kB', ' MB', ' GB']);

/** `494 million weights`, `25.3 thousand weights`. */
export const weightsWords = (count: number): string =>
  `${inUnits(count, ['', ' thousand', ' million', ' billion'])} weights`;

/** Parameter counts of the models that ship with the page, read from their files by the build (vite.config.ts). */
declare const MARBLE_MODELS: Readonly<Record<string, number>>;

/** `25,280 weights`. */
export const exactSize = (name: string): string => `${MARBLE_MODELS[name].toLocaleString('en')} weights`;
