/** Tables, scroll regions and lists of fields. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Region for content wider than a phone. It scrolls sideways, also by keyboard. */
export function Scroll({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      {children}
    </div>
  );
}

export interface Heading {
  words: ComponentChildren;
  /** Name of the column before each cell of a list. */
  label?: string;
  title?: string;
  /** Class of all cells of the column. */
  class?: string;
  sort?: 'ascending' | 'descending' | undefined;
}

const roles: Readonly<Record<string, string>> = { TABLE: 'table', TR: 'row', TD: 'cell' };

/**
 * @param props.rows - the first cell of each is its heading
 * @param props.isList - on a phone shows each row as a list, with the name of its column before each cell
 * @param props.onPoint - receives the row under the mouse or with the focus; null without one
 */
export function Table(props: {
  class?: string;
  caption?: string;
  head: readonly (string | Heading)[];
  rows: readonly (readonly ComponentChildren[])[];
  isList?: boolean;
  onPoint?: (place: number | null) => void;
}) {
  const { caption, rows, isList = false, onPoint } = props;
  const head = props.head.map((one): Heading => (typeof one === 'string' ? { words: one, label: one } : one));
  const table = useRef<HTMLTableElement>(null);
  useLayoutEffect(() => {
    // The style of a list turns the table into blocks, and some browsers then hide its parts from screen readers.
    for (const part of isList
      ? [table.current!, ...table.current!.querySelectorAll('thead, tbody, tr, th, td')]
      : []) {
      const header = part.getAttribute('scope') === 'row' ? 'rowheader' : 'columnheader';
      part.setAttribute('role', part.tagName === 'TH' ? header : (roles[part.tagName] ?? 'rowgroup'));
    }
  });
  return (
    <table ref={table} class={isList ? `${props.class} is-list` : props.class}>
      {caption === undefined ? null : <caption>{caption}</caption>}
      <thead>
        <tr>
          {head.map(({ words, title, sort, class: ofColumn }, column) => (
            <th key={column} scope="col" class={ofColumn} title={title} aria-sort={sort}>
              {words}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([first, ...cells], place) => (
          <tr
            key={place}
            onMouseEnter={() => onPoint?.(place)}
            onMouseLeave={() => onPoint?.(null)}
            onFocusIn={() => onPoint?.(place)}
            onFocusOut={() => onPoint?.(null)}
          >
            <th scope="row">{first}</th>
            {cells.map((cell, column) => (
              <td
                key={column}
                class={head[column + 1].class}
                data-label={isList ? head[column + 1].label : undefined}
              >
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Names with their values. Null is left out. */
export function FieldList(props: {
  class?: string;
  fields: readonly (readonly [name: string, value: ComponentChildren] | null)[];
}) {
  return (
    <dl class={props.class}>
      {props.fields
        .filter((field) => field !== null)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
