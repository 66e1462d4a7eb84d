/** A text of the repository's docs, which the build carries as plain text beside the page. */
export function Doc({ name }: { name: 'algorithms' | 'results' | 'read-the-code' }) {
  return (
    <a href={`./docs/${name}.txt`} target="_blank" rel="noopener">
      docs/{name}.md
    </a>
  );
}
