/** Components that are fetched when they are first shown, which keeps the first load small. */
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { Guard } from './guard';

/**
 * @param load - imports the component's chunk
 * @returns a component that is empty until its chunk is loaded, and shows an error if loading fails; `ready` preloads the
 *   chunk
 */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> & { ready: () => Promise<void> } {
  const part = signal<ComponentType<Props> | 'missing' | null>(null);
  let asked: Promise<void> | null = null;
  const ready = (): Promise<void> =>
    (asked ??= load().then(
      (loaded) => void (part.value = loaded),
      () => void (part.value = 'missing'),
    ));
  function Later(props: Props) {
    void ready();
    const Part = part.value;
    if (Part === null) return null;
    if (Part === 'missing') return <p class="explain">This part could not be fetched. Reload the page.</p>;
    return (
      <Guard>
        <Part {...props} />
      </Guard>
    );
  }
  return Object.assign(Later, { ready });
}
