/** Components that are fetched when they are first shown, which keeps the first load small. */
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { missingPart } from '../../base/error';
import { Guard } from './guard';

/**
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
    if (Part === 'missing') return <MissingPart />;
    return (
      <Guard>
        <Part {...props} />
      </Guard>
    );
  }
  return Object.assign(Later, { ready });
}

function MissingPart() {
  const { message, nextStep } = missingPart();
  return (
    <div class="explain stack">
      <p>
        {message} {nextStep}
      </p>
      <button class="primary" onClick={() => location.reload()}>
        Reload the page
      </button>
    </div>
  );
}
