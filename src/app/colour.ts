/** Colours of the style sheet for canvases, which know neither custom properties nor `light-dark()`. */

/** @returns the colour that custom property `name` has at `element` now, in a form that a canvas takes */
export function colourOf(name: string, element: Element): string {
  const probe = document.createElement('span');
  // With forced colours every text would have the system's one, and a canvas would be black on black.
  probe.style.forcedColorAdjust = 'none';
  probe.style.color = `var(${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
