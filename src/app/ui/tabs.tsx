/** Tabs, of which one is shown at a time. The arrow keys move between them. */
import type { Signal } from '@preact/signals';
import type { ComponentChildren, TargetedKeyboardEvent } from 'preact';

/** The content is called only while its tab is shown. */
export type Tab = readonly [name: string, label: string, content: () => ComponentChildren];

/** Shows a tab from elsewhere on the page, and scrolls to it. */
export function chooseTab(chosen: Signal<string | null>, name: string): void {
  chosen.value = name;
  const tab = document.getElementById(`tab-${name}`);
  tab?.scrollIntoView();
  tab?.focus({ preventScroll: true });
}

/**
 * @param props.chosen - name of the shown tab; the first tab is shown without a match
 * @param props.children - content above the shown tab
 */
export function Tabs(props: {
  label: string;
  tabs: readonly Tab[];
  chosen: Signal<string | null>;
  children?: ComponentChildren;
}) {
  const { label, tabs, chosen, children } = props;
  const place = Math.max(
    0,
    tabs.findIndex(([name]) => name === chosen.value),
  );
  const [current, , content] = tabs[place];
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>): void => {
    const to = { ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = (to + tabs.length) % tabs.length;
    [chosen.value] = tabs[next];
    event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus();
  };
  return (
    <div class="stack">
      <div class="tabs row" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {tabs.map(([name, words], i) => (
          <button
            key={name}
            class="plain"
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
          id={`panel-${current}`}
          aria-labelledby={`tab-${current}`}
        >
          {content()}
        </div>
      </div>
    </div>
  );
}
