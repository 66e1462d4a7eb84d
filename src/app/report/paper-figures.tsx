/**
 * What the papers draw, of one run or of several, each arm as the mean of its runs: thinking before and after, thinking in
 * front of the right answers (ToM-RL, arXiv 2504.01698, figure 3), right answers by order with the trained ones marked and in
 * against out of distribution (arXiv 2507.15788). All of it greedy, from the evaluations.
 */
import { Fragment, type ComponentChildren } from 'preact';
import { mean } from '../../base/statistics';
import type { RunConfig } from '../../run/config/config';
import type { EvalReport, Evaluation } from '../../run/record/evaluation';
import { fromStart } from '../../run/verdict/ending';
import { armCurve } from '../charts/lines/chart-lines';
import {
  areaBetween,
  height as fieldHeight,
  pathOf,
  testCurve,
  width as fieldWidth,
  type Curve,
  type Sight,
} from '../charts/lines/curve';
import { setName } from '../verdict/evaluation-table';
import { armName } from '../words/arms';
import { percent } from '../ui/numbers';

export interface FiguredRun {
  /** What sets its arm apart; empty where there is one arm. */
  arm: string;
  config: RunConfig;
  evals: readonly Evaluation[];
}

/** Of a drawing, in its own units. */
const width = 280;
const height = 130;

export function PaperFigures({ runs }: { runs: readonly FiguredRun[] }) {
  const judged = runs.filter(({ evals }) => evals.length > 0);
  if (judged.length === 0) return null;
  const arms = [...new Set(judged.map(({ arm }) => arm))].map((arm) => ({
    arm,
    runs: judged.filter((run) => run.arm === arm),
  }));
  const longest = Math.max(1, ...judged.flatMap(({ evals }) => evals.map(lengthOf)));
  return (
    <section class="paper-figures" aria-labelledby="paper-figures">
      <h3 id="paper-figures">As the papers draw it</h3>
      <div class="panels">
        <Lengths arms={arms} longest={longest} />
        {arms.map(({ arm, runs: of }) => (
          <Fragment key={arm}>
            {arms.length === 1 ? null : <h4>{armName(arm)}</h4>}
            <OverSteps runs={of} longest={longest} />
            <ByOrder runs={of} />
            <Distribution runs={of} />
          </Fragment>
        ))}
      </div>
    </section>
  );
}

interface Arm {
  arm: string;
  runs: readonly FiguredRun[];
}

function Lengths({ arms, longest }: { arms: readonly Arm[]; longest: number }) {
  const share = width / arms.length;
  return (
    <Panel title="Words of thinking, before ○ and after ●" top={longest.toFixed(0)}>
      {arms.map(({ arm, runs }, place) => (
        <g key={arm}>
          {runs.map(({ evals }, index) => (
            <Pair
              key={index}
              x={(place + 0.2 + (0.6 * (index + 0.5)) / runs.length) * share}
              before={lengthOf(startOf(evals))}
              after={lengthOf(evals.at(-1)!)}
              top={longest}
            />
          ))}
          <text x={(place + 0.5) * share} y={height + 16}>
            {arms.length > 1 ? armName(arm) : runs.length === 1 ? 'this run' : `${runs.length} runs`}
          </text>
        </g>
      ))}
    </Panel>
  );
}

const startOf = (evals: readonly Evaluation[]): Evaluation => fromStart(evals)[0];

const lengthOf = ({ report }: Evaluation): number => report.meanThinkLength;

/** Thinking as a line, the right answers as the area behind it. */
function OverSteps({ runs, longest }: { runs: readonly FiguredRun[]; longest: number }) {
  const last = lastStep(runs);
  const accuracy = meanCurve(runs, ({ overall }) => overall.accuracy);
  const thinking = meanCurve(runs, ({ meanThinkLength }) => meanThinkLength);
  const nothing = { steps: accuracy.steps, values: accuracy.steps.map(() => 0) };
  return (
    <Panel title="Thinking (line), right answers (area)" top={`${longest.toFixed(0)}, 100 %`}>
      <Field>
        <path class="area" d={areaBetween(nothing, accuracy, sightOf(last, 1))} />
        <path class="in-front" d={pathOf(thinking, sightOf(last, longest))} />
      </Field>
      <Steps last={last} />
    </Panel>
  );
}

function ByOrder({ runs }: { runs: readonly FiguredRun[] }) {
  const orders = Object.keys(runs[0].evals[0].report.byOrder).filter((order) =>
    runs.every(({ evals }) =>
      [startOf(evals), evals.at(-1)!].every(({ report }) => (report.byOrder[order]?.count ?? 0) > 0),
    ),
  );
  const trained = new Set(runs[0].config.data.orders.map(String));
  const of = (order: string, { report }: Evaluation): number => report.byOrder[order].accuracy;
  return (
    <Panel title="Right by order, before ○ and after ●" top="100 %" note="Bold: trained on.">
      {orders.map((order, place) => {
        const x = ((place + 0.5) / orders.length) * width;
        return (
          <g key={order}>
            <Pair
              x={x}
              before={mean(runs.map(({ evals }) => of(order, startOf(evals))))}
              after={mean(runs.map(({ evals }) => of(order, evals.at(-1)!)))}
              top={1}
            />
            <text class={trained.has(order) ? 'trained' : ''} x={x} y={height + 16}>
              {order}
            </text>
          </g>
        );
      })}
    </Panel>
  );
}

/** Sets that training never sees, and suites beside the run's own world, such as GSM8K. */
function Distribution({ runs }: { runs: readonly FiguredRun[] }) {
  const last = lastStep(runs);
  const [{ config, evals }] = runs;
  const { heldOut, rows } = evals[0].report;
  const sets = Object.keys(heldOut).map((name) => ({
    name: setName(name),
    of: (report: EvalReport) => report.heldOut[name]?.accuracy,
  }));
  const tasks = [...new Set(rows.map(({ task }) => task))].filter((task) => task !== config.data.source);
  const suites = tasks.map((name) => ({
    name,
    of: ({ rows: all }: EvalReport) =>
      all.find(({ task, part }) => task === name && part === 'all')?.accuracy.accuracy,
  }));
  const drawn = (of: (report: EvalReport) => number | undefined): string =>
    pathOf(meanCurve(runs, of), sightOf(last, 1));
  const beside = [...sets, ...suites].map((line, index) => ({ ...line, dash: `${2 + 4 * index} 4` }));
  return (
    <Panel
      title="In (line) and out of distribution (dashes)"
      top="100 %"
      note={
        beside.length === 0
          ? 'Nothing out of distribution was asked.'
          : beside.map(({ name, dash }) => (
              <span key={name}>
                <svg class="key" viewBox="0 0 40 8" aria-hidden="true">
                  <path class="beside" stroke-dasharray={dash} d="M0 4H40" />
                </svg>{' '}
                {name}
              </span>
            ))
      }
    >
      <Field>
        <path class="in-front" d={drawn(({ overall }) => overall.accuracy)} />
        {beside.map(({ name, of, dash }) => (
          <path key={name} class="beside" stroke-dasharray={dash} d={drawn(of)} />
        ))}
      </Field>
      <Steps last={last} />
    </Panel>
  );
}

function Panel(props: { title: string; top: string; note?: ComponentChildren; children: ComponentChildren }) {
  const { title, top, note, children } = props;
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <svg viewBox={`-4 -20 ${width + 8} ${height + 42}`} role="img" aria-label={title}>
        <path class="base" d={`M0 0H${width}M0 ${height}H${width}`} />
        <text class="top" x={0} y={-6}>
          {top}
        </text>
        {children}
      </svg>
      {note === undefined ? null : <p class="explain">{note}</p>}
    </figure>
  );
}

function Pair({ x, before, after, top }: { x: number; before: number; after: number; top: number }) {
  const [from, to] = [before, after].map((value) => height * (1 - value / top));
  return (
    <>
      <title>
        {top === 1 ? `${percent(before)} → ${percent(after)}` : `${before.toFixed(1)} → ${after.toFixed(1)}`}
      </title>
      <path class="base" d={`M${x} ${from}V${to}`} />
      <circle class="before" cx={x} cy={from} r={4} />
      <circle cx={x} cy={to} r={4} />
    </>
  );
}

function Steps({ last }: { last: number }) {
  return (
    <>
      <text class="top" x={0} y={height + 16}>
        0
      </text>
      <text class="last" x={width} y={height + 16}>
        step {last}
      </text>
    </>
  );
}

function lastStep(runs: readonly FiguredRun[]): number {
  return Math.max(1, ...runs.map(({ evals }) => evals.at(-1)!.report.step));
}

/** The mean over those runs that have a value at a step. */
function meanCurve(runs: readonly FiguredRun[], of: (report: EvalReport) => number | undefined): Curve {
  const { steps, mean: values } = armCurve(runs.map(({ evals }) => testCurve(evals, of)));
  return { steps, values };
}

const sightOf = (to: number, high: number): Sight => ({ from: 0, to, low: 0, high });

/** Where curves are drawn. */
function Field({ children }: { children: ComponentChildren }) {
  const viewBox = `0 0 ${fieldWidth} ${fieldHeight}`;
  return (
    <svg class="field" width={width} height={height} viewBox={viewBox} preserveAspectRatio="none">
      {children}
    </svg>
  );
}
