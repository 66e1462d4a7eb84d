import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/**
 * Result of an asynchronous search.
 *
 * @param find - its `isWanted` returns false once a newer search has replaced it
 * @param by - a change of one of these starts a new search and drops the result of the previous one
 * @returns the latest result; null before the first
 * @throws the error of a search while rendering, for the guard around the component
 */
export function useFound<T>(find: (isWanted: () => boolean) => Promise<T>, by: readonly unknown[]): T | null {
  const found = useSignal<{ value: T | null } | { thrown: unknown }>({ value: null });
  useEffect(() => {
    let wanted = true;
    const take = (result: typeof found.value): void => {
      if (wanted) found.value = result;
    };
    find(() => wanted).then(
      (value) => take({ value }),
      (thrown: unknown) => take({ thrown }),
    );
    return () => void (wanted = false);
  }, by);
  if ('thrown' in found.value) throw found.value.thrown;
  return found.value.value;
}
