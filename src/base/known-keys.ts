import { MarbleError } from './error';

/**
 * Rejects unknown keys of an options object. A misspelt option, or one in the wrong argument, would otherwise have no
 * effect. An unknown key is rejected even if its value is undefined.
 *
 * @param call name of the function, and of the option if the object is nested
 * @param known every key of the type
 * @throws MarbleError `app/unknown-option`
 */
export function checkKeys<Options extends object>(
  call: string,
  given: Options,
  known: { readonly [Key in keyof Required<Options>]: unknown },
): void {
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(known, key));
  if (unknown === undefined) return;
  throw new MarbleError(
    'app/unknown-option',
    `${call} has no option ${JSON.stringify(unknown.slice(0, 80))}.`,
    `Its options are: ${Object.keys(known).join(', ')}.`,
  );
}
