/** Colours of the style sheet for canvases, which know neither custom properties nor `light-dark()`. */

/** What a colour depends on, beside its element. */
const queries = ['(prefers-color-scheme: dark)', '(prefers-contrast: more)', '(forced-colors: active)'];
let kept: MediaQueryList[] | null = null;

function asked(): readonly MediaQueryList[] {
  return (kept ??= queries.map((query) => matchMedia(query)));
}

interface Known {
  look: string;
  colours: Map<string, string>;
}

const known = new WeakMap<Element, Known>();

/**
 * Canvases keep the colours that they were painted in.
 *
 * @param repaint - called when a colour may have become another one
 * @returns ends the watch
 */
export function watchLook(repaint: () => void): () => void {
  for (const query of asked()) query.addEventListener('change', repaint);
  return () => {
    for (const query of asked()) query.removeEventListener('change', repaint);
  };
}

/** Paper is light, whatever the screen is. */
function look(): string {
  return [...asked().map(({ matches }) => matches), document.documentElement.className].join();
}

/**
 * Asked for once in each look of the page: every question has the browser work out the styles of the whole page, and a
 * chart asks ten times in a drawing.
 *
 * @returns the colour that custom property `name` has at `element` now, in a form that a canvas takes
 */
export function colourOf(name: string, element: Element): string {
  const now = look();
  let at = known.get(element);
  if (at?.look !== now) known.set(element, (at = { look: now, colours: new Map() }));
  let colour = at.colours.get(name);
  if (colour === undefined) at.colours.set(name, (colour = computedColour(name, element)));
  return colour;
}

function computedColour(name: string, element: Element): string {
  const probe = document.createElement('span');
  // With forced colours every text would have the system's one, and a canvas would be black on black.
  probe.style.forcedColorAdjust = 'none';
  probe.style.color = `var(${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
