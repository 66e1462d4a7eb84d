/** What one takes away of a report: paper, or a page that stands alone. */
import type { RefObject } from 'preact';
import { inWhole } from '../charts/chart-view';
import { saveFile } from '../ui/files';

/** Controls of the page that mean nothing on paper. */
const leftOut = '.on-screen, .chart-view, .figures, .more, [aria-live], [popover], button, input, select';
/** Buttons whose words are part of what is shown: the legend of a chart, the heading of a column, a word that is explained. */
const words = '.legend button, .sort, .term button';

export function TakeReport(props: {
  article: RefObject<HTMLElement | null>;
  title: string;
  /** Without its ending. */
  name: string;
  isPrimary?: boolean;
}) {
  const { article, title, name, isPrimary = false } = props;
  const save = (): void => saveFile(`${name}.html`, reportFile(article.current!, title));
  const taken = (take: () => void) => () => void inWhole(take);
  return (
    <>
      <button type="button" class={isPrimary ? 'primary' : ''} onClick={taken(() => print())}>
        Print, or save as PDF
      </button>
      <button type="button" onClick={taken(save)}>
        Save the report as a page
      </button>
    </>
  );
}

/** A page of its own: one file that needs neither Marble nor a network, and runs nothing. */
function reportFile(article: Element, title: string): Blob {
  const copy = article.cloneNode(true) as Element;
  copy.querySelectorAll(words).forEach((button) => {
    const text = document.createElement('span');
    if (button.matches('.legend button')) text.className = 'as-button';
    text.append(...button.childNodes);
    button.replaceWith(text);
  });
  copy.querySelectorAll(leftOut).forEach((control) => control.remove());
  copy.querySelectorAll('details').forEach((part) => (part.open = true));
  // Its figure has a caption; nothing is pointed at here.
  copy.querySelectorAll('.plot-area').forEach((plot) => {
    for (const { name } of [...plot.attributes]) if (name !== 'class') plot.removeAttribute(name);
  });

  const heading = document.createElement('h1');
  heading.textContent = title;
  if (copy.querySelector('h1') === null) copy.prepend(heading);

  // Put together as text: the page's own policy lets no style be made in it.
  const policy = "default-src 'none'; style-src 'unsafe-inline'";
  const parts = [
    '<!doctype html>',
    `<html lang="${document.documentElement.lang}" class="printing"><head><meta charset="utf-8">`,
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    `<title>${heading.innerHTML}</title><style>${stylesOfPage()}</style></head>`,
    `<body><main>${copy.outerHTML}</main></body></html>`,
  ];
  return new Blob([parts.join('\n')], { type: 'text/html' });
}

function stylesOfPage(): string {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  return rules.map(({ cssText }) => cssText).join('\n');
}
