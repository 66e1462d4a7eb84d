import type { ComponentChildren } from 'preact';

/** Link to a page of the repository's docs, which the build ships with this page. */
export function Doc({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <a href={`./docs/${name}.html`} target="_blank" rel="noopener">
      {children}
    </a>
  );
}
