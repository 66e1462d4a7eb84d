/** Parts of the page that are fetched when they are first shown: what stands at the top must be there at once. */
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { Guard } from './guard';

/**
 * @param load - the part's own chunk
 * @returns a component that shows nothing until its chunk is there, and says so where it cannot be fetched or breaks; `ready` fetches it
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
