import { effect, type ReadonlySignal } from '@preact/signals';

/** Resolves to the first value of the signal, from now on, that meets the condition. */
export function until<T>(of: ReadonlySignal<T>, isMet: (value: T) => boolean): Promise<T> {
  return new Promise((resolve) => {
    const end = effect(() => {
      if (!isMet(of.value)) return;
      resolve(of.value);
      queueMicrotask(() => end());
    });
  });
}
