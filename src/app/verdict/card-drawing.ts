/** What cards to send are drawn with: SVG with system fonts and nothing from outside, the same wherever it is opened. */

export const cardWidth = 1000;
export const cardHeight = 560;

const ink = '#1b1e23';
export const quiet = '#5a5f68';
const paper = '#fbfaf6';

export function card(body: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${cardWidth}" height="${cardHeight}" viewBox="0 0 ${cardWidth} ${cardHeight}">`,
    `<rect width="${cardWidth}" height="${cardHeight}" fill="${paper}"/>`,
    ...body,
    '</svg>',
  ].join('\n');
}

export function text(
  x: number,
  y: number,
  words: string,
  size: number,
  look: { weight?: number; anchor?: 'end'; hue?: string; serif?: boolean } = {},
): string {
  const { weight = 400, anchor = 'start', hue = ink, serif = false } = look;
  const family = serif ? 'Charter, Georgia, serif' : 'system-ui, sans-serif';
  return `<text x="${x}" y="${y}" font-family="${family}" font-size="${size}" font-weight="${weight}" text-anchor="${anchor}" fill="${hue}">${escaped(words)}</text>`;
}

/** Names come from files and links. */
export function escaped(words: string): string {
  return words
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
