/** The charts of one run, or of several runs overlaid. */
import { signal, type Signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { borderOf } from '../../run/config/warm-start';
import { Chart } from './chart';
import { areArms, areAskedTheSame, detailCharts, mainCharts } from './lines/charted';
import type { ChartRun } from './lines/curve';

const isMoreOpen = signal(false);

interface ChartsProps {
  runs: readonly ChartRun[];
  /** Step of the page's scrubber, if it has one. */
  lookedAt?: Signal<number | null>;
}

export function Charts(props: ChartsProps) {
  // Memoized by the records, since the lines of a long run are slow to compute.
  const contents = props.runs.flatMap((run) => [run.name, run.arm, run.records, run.evaluations, run.config]);
  const runs = useMemo(() => props.runs, contents);
  return (
    <>
      <h2 class="visually-hidden">Charts</h2>
      <ChartGrid {...props} runs={runs} chartsOf={mainCharts} />
      <div class="folded row small">
        <details class="more" onToggle={(event) => (isMoreOpen.value = event.currentTarget.open)}>
          <summary class="quiet">
            More curves, in practice: loss, learning rate, KL, entropy, gradient norm, clip ratio
          </summary>
          {isMoreOpen.value ? <ChartGrid {...props} runs={runs} chartsOf={detailCharts} /> : null}
        </details>
        <span class="quiet">Drag over a chart to zoom, double-click to see the whole run.</span>
        {areAskedTheSame(runs) ? null : (
          <span>These runs were asked different questions, so their accuracies do not compare.</span>
        )}
        {areArms(runs) ? (
          <span>Mean of each arm (runs that differ by their seed alone), ± one standard deviation</span>
        ) : null}
      </div>
    </>
  );
}

function ChartGrid({ runs, lookedAt, chartsOf }: ChartsProps & { chartsOf: typeof mainCharts }) {
  const charts = useMemo(() => chartsOf(runs), [runs]);
  const steps = Math.max(1, ...runs.map(({ config }) => config.steps));
  const [border, ...others] = new Set(runs.map(({ config }) => borderOf(config)));
  return (
    <div class="charts">
      {charts.map((chart) => (
        <Chart
          key={chart.title}
          {...{ ...chart, steps, lookedAt, border: others.length === 0 ? border : 0 }}
        />
      ))}
    </div>
  );
}
