/** A small plot with few lines, labelled at their ends with names and values. */
import { useMemo } from 'preact/hooks';
import { later } from '../ui/later';
import { Table } from '../ui/table';
import { crosshair, sightWords } from './chart-view';
import { isWithin, lastStepOf, tableOf, toldAt, type ChartLine, type Curve, type Range } from './lines/curve';

export const PlotArea = later(() => import('./plot-area').then((part) => part.PlotArea));

export interface PlotLine extends ChartLine {
  /** Recording of the same curve, drawn faintly behind it. */
  ghost?: Curve;
  /** Second, thin line. Only that of the last line is labelled, for all of them. */
  thin?: Curve & { label: string };
  /** Values of the test, drawn as dots. */
  tested?: Curve;
}

/** All lines in drawing order, back to front. */
function drawnLines(lines: readonly PlotLine[]): ChartLine[] {
  const ghosts = lines.flatMap(({ label, colour, ghost }) =>
    ghost === undefined ? [] : { ...ghost, label: `${label}, recorded`, colour, faint: true },
  );
  const thin = lines.flatMap(({ label, colour, thin: second }, place) => {
    const end = place === lines.length - 1 ? second?.label : undefined;
    return second === undefined
      ? []
      : { ...second, label: `${label}, ${second.label}`, colour, end, isThin: true };
  });
  const dots = lines.flatMap(({ label, colour, tested }) =>
    tested === undefined ? [] : { ...tested, label: `${label}, test`, colour, points: 'only' as const },
  );
  const own = lines.map((line) => ({ ...line, end: line.end ?? line.label }));
  return [...ghosts, ...thin, ...own, ...dots];
}

export function Plot(props: {
  title: string;
  of?: string;
  lines: readonly PlotLine[];
  steps: number;
  /** Range of possible values. */
  range: Range;
  /** Part of the range that is shown until a line leaves it. The axis changes at most once. */
  usual?: Range;
  format: (value: number) => string;
}) {
  const { title, of, lines, steps, range, usual = range, format } = props;
  const chosen = crosshair.value;
  const drawn = useMemo(() => drawnLines(lines), [lines]);
  const shown = isWithin(drawn, usual) ? usual : range;
  // Not every step has a value, so the caption names the step of the values rather than that of the cursor.
  const measured =
    chosen === null ? -1 : Math.max(-1, ...lines.map((line) => lastStepOf(line, chosen) ?? -1));
  const hasGhost = drawn.some((line) => line.faint === true && line.steps.length > 0);
  const words = sightWords(measured < 0 ? null : measured);
  return (
    <figure class="plot-figure">
      <figcaption>
        <h2>
          {title} <small>{of}</small>
        </h2>
        <span class="quiet small">
          {words !== '' ? (
            words
          ) : hasGhost ? (
            <span class="ghost-word">thin line: our recorded run</span>
          ) : null}
        </span>
      </figcaption>
      <div class="plot-area">
        <PlotArea
          label={`${title} over ${steps} steps: ${toldAt(drawn, chosen, format) || 'nothing yet'}`}
          lines={drawn}
          steps={steps}
          range={shown}
          isSmall
          format={format}
          marks={[]}
        />
      </div>
      <div class="visually-hidden">
        <Table
          caption={title}
          head={['step', ...drawn.map(({ label }) => label)]}
          rows={tableOf(drawn, format)}
        />
      </div>
    </figure>
  );
}
