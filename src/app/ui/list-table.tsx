/** A table that a phone shows as a list. Where its style makes blocks of its parts some browsers no longer tell a screen reader of a table: roles do. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

const roles: Readonly<Record<string, string>> = { TABLE: 'table', TR: 'row', TD: 'cell' };

export function ListTable(props: { class: string; children: ComponentChildren }) {
  const table = useRef<HTMLTableElement>(null);
  useLayoutEffect(() => {
    const whole = table.current!;
    for (const part of [whole, ...whole.querySelectorAll('thead, tbody, tr, th, td')]) {
      const header = part.getAttribute('scope') === 'row' ? 'rowheader' : 'columnheader';
      part.setAttribute('role', part.tagName === 'TH' ? header : (roles[part.tagName] ?? 'rowgroup'));
    }
  });
  return (
    <table ref={table} class={props.class}>
      {props.children}
    </table>
  );
}
