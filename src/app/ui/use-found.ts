import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/**
 * Result of an asynchronous search.
 *
 * @param by - a change of one of these starts a new search and drops the result of the previous one
 * @returns the latest result; null before the first
 */
export function useFound<T>(find: () => Promise<T>, by: readonly unknown[]): T | null {
  const found = useSignal<T | null>(null);
  useEffect(() => {
    let wanted = true;
    void find().then((value) => {
      if (wanted) found.value = value;
    });
    return () => void (wanted = false);
  }, by);
  return found.value;
}
