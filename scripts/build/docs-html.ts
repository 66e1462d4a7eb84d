/** Renders the repository's docs and their figures as pages next to the app, whose explanations link to them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { marked } from 'marked';
import type { Plugin } from 'vite';

const folder = join(import.meta.dirname, '..', '..', 'docs');
const docs = readdirSync(folder).filter((name) => name.endsWith('.md'));

const style = `:root { color-scheme: light dark; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
table { display: block; overflow-x: auto; border-collapse: collapse; }
th, td { padding: 0.3rem 0.6rem; border-bottom: 1px solid #8884; text-align: left; vertical-align: top; }
td { font-variant-numeric: tabular-nums; }
img { max-width: 100%; background: #fff; }
pre { overflow-x: auto; }
`;

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string): string =>
  heading
    .replaceAll(/<[^>]*>|&\w+;/g, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

/**
 * A page without scripts that loads only its style and its figures.
 *
 * @param markdown - from this repository: its HTML is not escaped
 */
export function docsHtml(markdown: string): string {
  const title = /^# (.*)$/m.exec(markdown)![1];
  const body = (marked.parse(markdown) as string)
    .replace(/<h(\d)>(.*?)<\/h\1>/g, (_, level: string, text: string) => {
      return `<h${level} id="${anchorOf(text)}">${text}</h${level}>`;
    })
    .replace(
      /<pre><code class="language-mermaid">.*?<\/code><\/pre>/gs,
      '<p>The repository shows the graph drawn.</p>',
    )
    // Links lead to another page of the docs, within the page, or to the web. Source files exist only in the
    // repository.
    .replace(/<a href="([^"]*)">(.*?)<\/a>/gs, (link: string, address: string, text: string) => {
      const [page, ...anchor] = address.split(/(?=#)/);
      if (docs.includes(page))
        return `<a href="${page.replace(/md$/, 'html')}${anchor.join('')}">${text}</a>`;
      return /^(?:https:|#)/.test(address) ? link : text;
    });
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src 'self'; style-src 'self'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="style.css">
<title>Marble: ${title}</title>
${body}</html>
`;
}

export const docsBeside: Plugin = {
  name: 'marble-docs-beside',
  apply: 'build',
  generateBundle() {
    const emit = (fileName: string, source: string | Uint8Array): void => {
      this.emitFile({ type: 'asset', fileName, source });
    };
    emit('docs/style.css', style);
    for (const name of docs) {
      const text = readFileSync(join(folder, name), 'utf8');
      emit(`docs/${name.replace(/md$/, 'html')}`, docsHtml(text));
      for (const [, image] of text.matchAll(/!\[[^\]]*\]\(([^):]+)\)/g))
        emit(`docs/${image}`, readFileSync(join(folder, image)));
    }
  },
};
