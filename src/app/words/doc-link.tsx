import type { ComponentChildren } from 'preact';

/** A text of the repository's docs, which the build carries as a page beside this one. */
export function Doc({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <a href={`./docs/${name}.html`} target="_blank" rel="noopener">
      {children}
    </a>
  );
}
