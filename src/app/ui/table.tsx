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

/**
 * @param props.head - headings of the columns
 * @param props.rows - the first cell of each is its heading
 * @param props.isList - on a phone shows each row as a list, with the name of its column before each cell
 */
export function Table(props: {
  class?: string;
  caption?: string;
  head: readonly ComponentChildren[];
  rows: readonly (readonly ComponentChildren[])[];
  isList?: boolean;
}) {
  const { caption, head, rows, isList = false } = props;
  const parts = (
    <>
      {caption === undefined ? null : <caption>{caption}</caption>}
      <thead>
        <tr>
          {head.map((words, column) => (
            <th key={column} scope="col">
              {words}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([first, ...cells], place) => (
          <tr key={place}>
            <th scope="row">{first}</th>
            {cells.map((cell, column) => (
              <td key={column} data-label={isList ? head[column + 1] : undefined}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </>
  );
  return isList ? (
    <ListTable class={`${props.class} is-list`}>{parts}</ListTable>
  ) : (
    <table class={props.class}>{parts}</table>
  );
}

const roles: Readonly<Record<string, string>> = { TABLE: 'table', TR: 'row', TD: 'cell' };

/**
 * Table that a phone shows as a list. Its style turns the parts of the table into blocks, and some browsers then no longer
 * expose a table to screen readers. Explicit roles prevent this.
 */
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

/** Names with their values. */
export function FieldList(props: {
  class?: string;
  fields: readonly (readonly [name: string, value: ComponentChildren])[];
}) {
  return (
    <dl class={props.class}>
      {props.fields.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
