/** A report as a page of its own: one file that needs neither Marble nor a network, and runs nothing. */

/** Controls of the page that mean nothing on paper. */
const leftOut = '.on-screen, .chart-view, .figures, .more, [aria-live], button, input, select';
/** Buttons whose words are part of what is shown: the legend of a chart, the heading of a column. */
const words = '.legend button, .sort';

/** @param article - on the page: what its charts have drawn is taken as pictures, as they would be printed */
export async function reportFile(article: Element, title: string): Promise<Blob> {
  dispatchEvent(new Event('beforeprint'));
  // Charts paint anew in a task of their own.
  await new Promise((resolve) => setTimeout(resolve));
  const copy = article.cloneNode(true) as Element;
  const drawn = article.querySelectorAll('canvas');
  copy.querySelectorAll('canvas').forEach((canvas, index) => {
    const picture = document.createElement('img');
    picture.src = drawn[index].toDataURL();
    picture.alt = canvas.closest('figure')?.querySelector('h3')?.textContent ?? '';
    picture.style.cssText = canvas.style.cssText;
    canvas.replaceWith(picture);
  });
  dispatchEvent(new Event('afterprint'));

  copy.querySelectorAll(words).forEach((button) => {
    const text = document.createElement('span');
    text.className = 'as-button';
    text.append(...button.childNodes);
    button.replaceWith(text);
  });
  copy.querySelectorAll(leftOut).forEach((control) => control.remove());
  copy.querySelectorAll('details').forEach((part) => (part.open = true));
  copy.querySelectorAll('.plot').forEach((plot) => {
    for (const { name } of [...plot.attributes]) if (name !== 'class') plot.removeAttribute(name);
  });

  const page = document.implementation.createHTMLDocument(title);
  page.documentElement.className = 'printing';
  page.documentElement.lang = document.documentElement.lang;
  const policy = page.createElement('meta');
  policy.httpEquiv = 'Content-Security-Policy';
  policy.content = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";
  const charset = page.createElement('meta');
  charset.setAttribute('charset', 'utf-8');
  const style = page.createElement('style');
  style.textContent = stylesOfPage();
  page.head.prepend(charset, policy);
  page.head.append(style);
  const main = page.createElement('main');
  main.append(page.importNode(copy, true));
  page.body.append(main);
  return new Blob([`<!doctype html>\n${page.documentElement.outerHTML}`], { type: 'text/html' });
}

function stylesOfPage(): string {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  return rules.map(({ cssText }) => cssText).join('\n');
}
