/**
 * Small charts as SVG text: a page with a background, readable in light and dark themes, and panels with titled
 * axes. A model has the colour that it has on the page.
 */

export const colours = {
  small: '#806000',
  middle: '#0d7480',
  large: '#2f54c9',
  other: '#6b7280',
  ink: '#1f2328',
  faint: '#d8dee4',
} satisfies Record<string, string>;

interface TextStyle {
  anchor?: 'start' | 'middle' | 'end';
  size?: number;
  bold?: boolean;
  fill?: string;
  /** Degrees about the text's place. */
  turn?: number;
}

const round = (value: number): number => Math.round(value * 100) / 100;

const [WIDTH, HEIGHT] = [940, 330];

/**
 * @param title drawn at the top
 * @param description for readers who cannot see the figure
 */
export function page(title: string, description: string, body: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${escaped(title)}" font-family="system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif">`,
    `<title>${escaped(title)}</title>`,
    `<desc>${escaped(description)}</desc>`,
    `<rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${HEIGHT - 1}" rx="6" fill="#ffffff" stroke="${colours.faint}"/>`,
    text(16, 26, title, { size: 15, bold: true }),
    ...body,
    '</svg>',
    '',
  ].join('\n');
}

function escaped(words: string): string {
  return words
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

export function text(x: number, y: number, content: string, style: TextStyle = {}): string {
  const { anchor = 'start', size = 12, bold = false, fill = colours.ink, turn } = style;
  const turned = turn === undefined ? '' : ` transform="rotate(${turn} ${round(x)} ${round(y)})"`;
  return `<text x="${round(x)}" y="${round(y)}" font-size="${size}" text-anchor="${anchor}"${bold ? ' font-weight="600"' : ''} fill="${fill}"${turned}>${escaped(content)}</text>`;
}

export function line(
  [x1, y1]: readonly [number, number],
  [x2, y2]: readonly [number, number],
  stroke: string,
): string {
  return `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke="${stroke}" stroke-width="1"/>`;
}

export function path(points: readonly (readonly [number, number])[], stroke: string, dash?: '5 4'): string {
  const steps = points.map(([x, y]) => `${round(x)},${round(y)}`).join(' ');
  const dashed = dash === undefined ? '' : ` stroke-dasharray="${dash}"`;
  return `<polyline points="${steps}" fill="none" stroke="${stroke}" stroke-width="2" stroke-opacity="1" stroke-linejoin="round"${dashed}/>`;
}

/** The area between two lines of as many points. */
export function band(
  low: readonly (readonly [number, number])[],
  high: readonly (readonly [number, number])[],
  fill: string,
): string {
  const outline = [...low, ...high.toReversed()].map(([x, y]) => `${round(x)},${round(y)}`).join(' ');
  return `<polygon points="${outline}" fill="${fill}" fill-opacity="0.15"/>`;
}

/** A dot; a hollow one is white inside. */
export function mark([x, y]: readonly [number, number], hue: string, hollow: boolean): string {
  const paint = `fill="${hollow ? '#ffffff' : hue}" stroke="${hue}" stroke-width="1.5"`;
  return `<circle cx="${round(x)}" cy="${round(y)}" r="3.5" ${paint}/>`;
}

export interface Axis {
  label: string;
  from: number;
  to: number;
  ticks: readonly (readonly [value: number, label: string])[];
}

export interface Panel {
  x: (value: number) => number;
  y: (value: number) => number;
  /** Frame, axes and labels. */
  frame: string[];
}

export interface PanelPlace {
  left: number;
  width: number;
  title: string;
  x: Axis;
  y: Axis;
}

/** Faint lines go through it at the heights that are named. */
export function panel({ left, width, title, x, y }: PanelPlace): Panel {
  const [top, height] = [78, 190];
  const bottom = top + height;
  const right = left + width;
  const px = (value: number): number => left + ((value - x.from) / (x.to - x.from)) * width;
  const py = (value: number): number => bottom - ((value - y.from) / (y.to - y.from)) * height;
  const widest = Math.max(0, ...y.ticks.map(([, label]) => label.length));
  const frame = [
    text(left + width / 2, top - 10, title, { anchor: 'middle', bold: true }),
    ...x.ticks.flatMap(([value, label]) => [
      line([px(value), bottom], [px(value), bottom + 4], colours.other),
      text(px(value), bottom + 17, label, { anchor: 'middle', size: 11 }),
    ]),
    ...y.ticks.flatMap(([value, label]) => [
      line([left, py(value)], [right, py(value)], colours.faint),
      text(left - 7, py(value) + 4, label, { anchor: 'end', size: 11 }),
    ]),
    line([left, bottom], [right, bottom], colours.other),
    line([left, top], [left, bottom], colours.other),
    text(left + width / 2, bottom + 35, x.label, { anchor: 'middle' }),
    ...(y.label === ''
      ? []
      : [text(left - 20 - 6.5 * widest, top + height / 2, y.label, { anchor: 'middle', turn: -90 })]),
  ];
  return { x: px, y: py, frame };
}

/** Ticks at multiples of a step, two digits at most. */
export function ticks(from: number, to: number, step: number): [number, string][] {
  const count = Math.round((to - from) / step);
  return Array.from({ length: count + 1 }, (_, index) => {
    const value = from + index * step;
    return [value, String(round(value)).replace(/^(-?)0\./, '$1.')];
  });
}

/** Fractions from 0 to 1. */
export const unitTicks = ticks(0, 1, 0.25);
