/** Section of docs/results.md on study 3a, by the rules of docs/study-3a.md, from docs/study-3a/runs.jsonl. */
import { mean } from '../../src/base/statistics';
import { markdownTable } from '../tables';
import { bracket, two } from './format';
import { judge, readLines, type JudgedRun } from './lines';
import { meanInterval, payRule } from './rules';
import { colours, mark, page, panel, ticks } from './svg';

/** Fractions S of items of orders 1 to 3 on which the shortcut is right, and the rho that gives each (20,000 items). */
const SHORTCUT_SHARES = [
  { share: 0.565, rho: 0.2 },
  { share: 0.7, rho: 0.456 },
  { share: 0.8, rho: 0.634 },
  { share: 0.9, rho: 0.82 },
];
const TEMPERATURES = [0.6, 1];
const FIGURE = 'study-3a/gain.svg';

interface PaidRun {
  run: JudgedRun;
  seed: number;
  share: number;
  temperature: number;
  /** Reward of full thinking minus what the shortcut earns, before training. */
  gain: number;
  /** W after / W before. */
  kept: number;
}

function paidRun(run: JudgedRun): PaidRun {
  const { start, config, modes } = run.line;
  const { share } = SHORTCUT_SHARES.find(({ rho }) => rho === config.data.rho)!;
  const [before, after] = run.hard;
  return {
    run,
    seed: start.seed,
    share,
    temperature: config.rollout.temperature,
    gain: modes.full - (3 * share - 0.5 * (1 - share)),
    kept: after / before,
  };
}

/** The section, a sentence for README.md, and the figure with its path in docs. */
export function payStudy(): { section: string; sentence: string; figure: [path: string, svg: string] } {
  const runs = readLines('3a').map((line) => paidRun(judge(line)));
  const { ending, overall, within } = payRule(runs);
  const words = ending === 'partly' ? 'stands partly' : ending;
  return {
    section: `## Study 3a

**Question.** Does thinking stay where it earns more than the shortcut? The pay is changed within the same five 100k starts, by the share S of questions that the shortcut answers and by the temperature.

**Rule**, [fixed before the first run](study-3a.md): K = W after / W before rises with the gain, the reward of full thinking minus what the shortcut earns. Rank correlation of at least .5 over all runs, and intervals above 0 over all runs and within starts. All ${runs.length} runs are made.

**The rule ${words}.** Correlation over all runs ${bracket(overall)}, within starts ${bracket(within)}.

${table(runs)}

${byStart(runs)}

![Kept accuracy by gain](${FIGURE})

`,
    sentence: `The registered rule that runs keep more of their reasoning where full thinking earns more than the shortcut **${words}** ([study 3a](docs/study-3a.md): rank correlation ${bracket(overall)} over ${runs.length} runs of five starts).`,
    figure: [FIGURE, gainFigure(runs)],
  };
}

/** Mean K with its interval over starts, by S and temperature, with the endings. */
function table(runs: readonly PaidRun[]): string {
  const cell = (share: number, temperature: number): string => {
    const of = runs.filter((one) => one.share === share && one.temperature === temperature);
    const interval = bracket(meanInterval(of.map(({ kept }) => kept)));
    const keeping = of.filter(({ run }) => /^(keeps thinking|thinks better)$/.test(run.verdict.ending));
    return `${interval}, ${keeping.length} of ${of.length} keep thinking`;
  };
  const rows = SHORTCUT_SHARES.map(({ share }) => {
    return [
      String(share).replace('0.', '.'),
      two(mean(runs.filter((one) => one.share === share).map(({ gain }) => gain))),
      ...TEMPERATURES.map((temperature) => cell(share, temperature)),
    ];
  });
  const head = ['S', 'mean gain', ...TEMPERATURES.map((temperature) => `K at temperature ${temperature}`)];
  return markdownTable(head, rows);
}

/** A start that keeps at least this much in every run hardly depends on the gain. */
const HARDLY = 0.95;

/** Described, not tested: how much K varies within each start (not registered), and with the temperature. */
function byStart(runs: readonly PaidRun[]): string {
  const seeds = [...new Set(runs.map(({ seed }) => seed))].sort();
  const of = seeds.map((seed) => runs.filter((run) => run.seed === seed));
  const steady = of.filter((ones) => ones.every(({ kept }) => kept >= HARDLY)).length;
  const ranges = of.map((ones) => {
    const kept = ones.map((one) => one.kept);
    return `${ones[0].seed}: ${two(Math.min(...kept))} to ${two(Math.max(...kept))}`;
  });
  const pairs = of.map((ones) => {
    const at = (temperature: number): number =>
      mean(ones.filter((one) => one.temperature === temperature).map(({ kept }) => kept));
    return at(TEMPERATURES[1]) - at(TEMPERATURES[0]);
  });
  return `The effect is not the same in all starts (not registered). K by start (${ranges.join('; ')}): ${steady} of ${of.length} starts keep at least ${two(HARDLY)} in all their runs, so their correlations rank small differences. K at temperature ${TEMPERATURES[1]} minus K at ${TEMPERATURES[0]}, at equal S, as a mean over starts: ${bracket(meanInterval(pairs))}.`;
}

function gainFigure(runs: readonly PaidRun[]): string {
  const [from, to] = [-0.5, 1.75];
  const most = Math.max(1.25, ...runs.map(({ kept }) => kept));
  const place = panel({
    ...{ left: 62, width: 560, title: 'filled: temperature 1; hollow: .6' },
    x: { label: 'reward of full thinking minus pay of the shortcut', from, to, ticks: ticks(from, to, 0.25) },
    y: { label: 'W after / W before', from: 0, to: most, ticks: ticks(0, 1.25, 0.25) },
  });
  const marks = runs.map(({ gain, kept, temperature }) =>
    mark([place.x(gain), place.y(kept)], colours.large, temperature < 1),
  );
  return page(
    'Kept accuracy on hard questions by what thinking earns',
    'Each run of study 3a: W after / W before over the gain.',
    [...place.frame, ...marks],
  );
}
