/** Components that are fetched when they are first shown, which keeps the first load small. */
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { missingPart } from '../../base/error';
import { Guard } from './guard';

const Missing = (): never => {
  throw missingPart();
};

/**
 * @returns a component that is empty until its chunk is loaded, and shows an error if loading fails; `ready` preloads the
 *   chunk
 */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> & { ready: () => Promise<void> } {
  const part = signal<ComponentType<Props> | null>(null);
  let asked: Promise<void> | null = null;
  const ready = (): Promise<void> =>
    (asked ??= load()
      .catch(() => Missing)
      .then((loaded) => void (part.value = loaded)));
  function Later(props: Props) {
    void ready();
    const Part = part.value;
    return (
      Part && (
        <Guard>
          <Part {...props} />
        </Guard>
      )
    );
  }
  return Object.assign(Later, { ready });
}
