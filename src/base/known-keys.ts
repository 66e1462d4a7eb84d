import { MarbleError } from './error';

/**
 * Refuses the keys of an options object that a call does not read: an option under another name, or in another argument,
 * would have no effect. Undefined values are refused too, since the name is what is wrong.
 *
 * @param call name of the function, and of the option where the object is nested
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
