/** Parts of a place of which one is shown at a time, chosen by tabs: the arrow keys go from one to the next. */
import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';

export interface Tab {
  name: string;
  label: string;
  /** Asked for when the tab is first shown, and not before. */
  content: () => ComponentChildren;
}

/** Shows a tab from elsewhere on the page, and goes there. */
export function chooseTab(chosen: Signal<string | null>, name: string): void {
  chosen.value = name;
  const tab = document.getElementById(`tab-${name}`);
  tab?.scrollIntoView();
  tab?.focus({ preventScroll: true });
}

/**
 * @param props.chosen - the name of the tab that is shown; the first where there is none of it
 * @param props.children - above the content of each of them
 */
export function Tabs(props: {
  label: string;
  tabs: readonly Tab[];
  chosen: Signal<string | null>;
  children?: ComponentChildren;
}) {
  const { label, tabs, chosen, children } = props;
  const list = useRef<HTMLDivElement>(null);
  if (tabs.length === 0) return null;
  const place = Math.max(
    0,
    tabs.findIndex(({ name }) => name === chosen.value),
  );
  const current = tabs[place];
  const go = (to: number): void => {
    const next = (to + tabs.length) % tabs.length;
    chosen.value = tabs[next].name;
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const to = { ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    go(to);
  };
  return (
    <div class="tabbed stack">
      <div class="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={onKeyDown}>
        {tabs.map(({ name, label: words }, i) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${name}`}
            aria-controls={`panel-${name}`}
            aria-selected={i === place}
            tabIndex={i === place ? 0 : -1}
            onClick={() => (chosen.value = name)}
          >
            {words}
          </button>
        ))}
      </div>
      <div class="stack">
        {children}
        <div
          class="tab-panel stack"
          role="tabpanel"
          id={`panel-${current.name}`}
          aria-labelledby={`tab-${current.name}`}
        >
          {current.content()}
        </div>
      </div>
    </div>
  );
}
