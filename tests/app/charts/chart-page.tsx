/** A page that draws charts of made-up runs, for tests in a real browser. */
import { render } from 'preact';
import { crosshair } from '../../../src/app/charts/chart-view';
import { Charts } from '../../../src/app/charts/charts';
import type { ChartRun } from '../../../src/app/charts/lines/curve';
import { Chart } from '../../../src/app/charts/chart';
import { plots } from '../../../src/app/charts/plot';
import '../../../src/app/shell/style.css';
import { presets } from '../../../src/run/config/presets';

const root = document.body.appendChild(document.createElement('main'));
document.head.appendChild(document.createElement('style')).textContent = '.plots .plot-area { height: 8rem }';

const chartPage = {
  plots: () => [...plots],
  crosshair,
  config: presets['ladder-12k'],
  drawRuns: (runs: readonly ChartRun[]) => render(<Charts runs={runs} />, root),
  drawPlot: (props: Omit<Parameters<typeof Chart>[0], 'format'>) =>
    render(
      <div class="plots">
        <Chart {...props} format={(value) => String(Math.round(100 * value) / 100)} />
      </div>,
      root,
    ),
};
Object.assign(globalThis, { chartPage });

export type ChartPage = typeof chartPage;
