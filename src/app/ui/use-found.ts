import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/**
 * @param by - when one of these changes it is looked for anew; what an older search finds is dropped
 * @returns what was found last; null until then
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
