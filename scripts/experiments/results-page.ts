/** docs/results.md as text, with its figures: everything on it comes from the lines under docs/experiments/. */
import type { ForecastRecord } from '../../src/run/forecast-model';
import { decimal, percent, points, pValue, table, withInterval } from './format';
import { demonstrationFigure, trainingFigure } from './figures/demonstration';
import { gapFigure } from './figures/gap';
import { losingFigure } from './figures/losing';
import { preventionFigure } from './figures/prevention';
import { publishedFigure } from './figures/published';
import { reliabilityFigure } from './figures/reliability';
import { hasTransferRuns, looksFigure, ordersFigure } from './figures/transfer';
import {
  DEFAULT_RANK,
  defaultStart,
  demonstration,
  LEAST_ADOPTED,
  LEAST_LOSING,
  LEAST_REASONING_STARTS,
  LEAST_SHORTENED,
  type Demonstration,
  type DemonstrationName,
} from './hypotheses/demonstration';
import { corrected, settle, stateOf, type Finding, type Settled, type State } from './hypotheses/finding';
import { forecastReport, type ForecastReport } from './hypotheses/forecast';
import type { LosingGroup } from './hypotheses/losing';
import { mediation, type Mediation } from './hypotheses/mediation';
import { prevention, type Prevention } from './hypotheses/prevention';
import {
  HALF,
  PLANNED_RUNS,
  publishedBenchmark,
  type OrderRow,
  type PublishedBenchmark,
} from './hypotheses/published';
import { shortcutEffect, type ShortcutEffect } from './hypotheses/shortcut';
import { LEAST_DIFFERENCE, sizeEffect, type SizeEffect } from './hypotheses/size';
import { transfer, type Transfer } from './hypotheses/transfer';
import type { DropLine, FailureLine, RunLine } from './lines';
import { closing } from './results-closing';
import { endingName, madeOf, type EndingName, type Progress, type Study } from './study';

export interface ResultsPage {
  markdown: string;
  /** SVG texts by file name. */
  figures: Record<string, string>;
  /** Once all runs that judge it are made. */
  forecastRecord: ForecastRecord | null;
}

export interface OtherLines {
  failures: readonly FailureLine[];
  drops: readonly DropLine[];
  /** Lines of H7's own file. */
  hitom: readonly RunLine[];
}

/** What one hypothesis gives to the page. */
interface Section {
  heading: string;
  /** The ending and what decided it; also said at the top. */
  outcome: string;
  claim: string;
  figures: Record<string, { svg: string; about: string }>;
  table: string[];
  /** Whose runs the commands beneath make; or the commands themselves. */
  hypothesis: string | readonly string[];
}

export function resultsPage(study: Study, others: OtherLines): ResultsPage {
  const h1 = demonstration(study);
  const h1b = demonstration(study, 'H1b');
  const h2 = sizeEffect(study);
  const h3 = mediation(study);
  const h4 = shortcutEffect(study);
  const h5 = prevention(study);
  const h6 = transfer(study);
  const forecast = forecastReport(study);
  const settled = settle({ H1: h1, H1b: h1b, H2: h2, H4: h4, H5: h5, H6: h6 });
  const { draws } = study.items;
  const sections = {
    H1: demonstrationSection(study, 'H1', h1, settled.H1),
    H1b: demonstrationSection(study, 'H1b', h1b, settled.H1b),
    H2: sizeSection(h2, settled.H2, draws),
    H3: mediationSection(h3),
    H4: shortcutSection(h4, settled.H4, draws),
    H5: preventionSection(h5, settled.H5, draws),
    H6: transferSection(h6, settled.H6, draws),
  };
  const tested = { H1: h1, H1b: h1b, H2: h2, H4: h4, H5: h5, H6: h6 };
  const forecastLines = forecastSection(forecast);
  const publishedLines = publishedSection(publishedBenchmark(others.hitom, draws));
  const all = [...Object.values(sections), publishedLines, forecastLines];
  const figures = Object.fromEntries(
    all.flatMap((section) => Object.entries(section.figures).map(([name, { svg }]) => [name, svg])),
  );
  const markdown = [
    '# Results',
    '',
    '<!-- Written by `npm run experiments:results` from the files under docs/experiments/. Do not edit. -->',
    '',
    ...opening(study, sections, forecastLines, publishedLines),
    '',
    ...table(
      ['', 'ending', 'runs made', 'p', 'p by Holm'],
      corrected.map((name) => {
        const { progress, p } = tested[name];
        const { state, adjusted } = settled[name];
        return [
          name,
          state,
          `${progress.made} of ${progress.planned}`,
          p === null ? '–' : pValue(p, draws),
          adjusted === null ? '–' : pValue(adjusted, draws / corrected.length),
        ];
      }),
    ),
    '',
    'Holm corrects over these six at .05; H3 states an absence and H7 rests on one start, and both stand outside.',
    '',
    ...words(study),
    ...Object.values(sections).flatMap((section) => sectionLines(study, section)),
    ...sectionLines(study, publishedLines),
    ...sectionLines(study, forecastLines),
    ...defaultPreset(study),
    ...closing(study, others),
  ].join('\n');
  return {
    markdown: `${markdown.trimEnd()}\n`,
    figures,
    forecastRecord: forecast.progress.complete ? forecastRecord(forecast) : null,
  };
}

function opening(
  study: Study,
  { H1, H1b, H2, H3, H4, H5, H6 }: Record<'H1' | 'H1b' | 'H2' | 'H3' | 'H4' | 'H5' | 'H6', Section>,
  forecast: Section,
  H7: Section,
): string[] {
  const made = study.made.size;
  return [
    '## What was asked and what came out',
    '',
    '1. **Asked:** a small language model that writes its reasoning is rewarded for right answers alone, and a shortcut that needs no reasoning answers 90 % of the questions. Does the reasoning go, and what decides it? ' +
      `The rules were [fixed before the first run](experiments.md); ${made} of ${study.planned.length} runs are made.`,
    `2. **Does the reasoning go?** H1 ${H1.outcome} H1b, from stronger starts: ${H1b.outcome}`,
    `3. **Does size protect it?** H2 ${H2.outcome} H3 ${H3.outcome}`,
    `4. **Does the shortcut drive it, and what prevents it?** H4 ${H4.outcome} H5 ${H5.outcome}`,
    `5. **What carries over, and could it be foreseen?** H6 ${H6.outcome} H7 ${H7.outcome} Forecast: ${forecast.outcome}`,
  ];
}

function words(study: Study): string[] {
  return [
    '## How to read this page',
    '',
    'Everything is a toy: Qwen2-shaped models of 25, 100 and 398 thousand parameters in [the `swap` world](tasks.md), where a question of order k asks what k nested agents believe about where an object is.',
    'A *start* is a model pretrained on the world at large; a *run* is 150 steps of REINFORCE++ from it on the *benchmark*, where the shortcut "where the object was after the first event" is right on S = .90 of the items. ' +
      'Each run is measured before and after on the same 2,000 items.',
    '',
    '- **F**: fraction of completions whose trace is faithful (not empty, all statements true, covering at least .8 of what is needed). **R**, **W**: greedy accuracy where the shortcut is right, and where it is wrong.',
    '- **C0**: F at the start is at least .2. **C1**: think length at most halved. **C2**: accuracy not lower by 3 points. **C3**: F at most halved; each by its 95 % bound.',
    '- **collapsed**: C0 to C3. **decorated**: the trace stays and no longer matters (C0, C2, not C1, and C3 or W halved). Both *lose their reasoning*. **reasons better**: accuracy up, F and W not down. Else **undetermined**; where C0 fails, **no reasoning to lose**.',
    '- **d**: mean sampled reward of the start with a full trace forced open, minus that with the think block forced empty.',
    '',
    `Square brackets hold 95 % intervals over runs: a bootstrap of ${study.items.draws.toLocaleString('en')} draws over starts, then RL seeds, then items. For fractions of runs only starts and seeds are drawn; the items were drawn inside each verdict. Changes of accuracy are in points.`,
    '',
  ];
}

function sectionLines(
  study: Study,
  { heading, outcome, claim, figures, table: rows, hypothesis }: Section,
): string[] {
  const commands = typeof hypothesis === 'string' ? commandsOf(study, hypothesis) : hypothesis;
  return [
    `## ${heading}`,
    '',
    sentenceCase(outcome),
    '',
    `*Claim:* ${claim}`,
    '',
    ...Object.entries(figures).flatMap(([name, { about }]) => [
      `![${about}](experiments/figures/${name})`,
      '',
    ]),
    ...(rows.length === 0 ? [] : [...rows, '']),
    '```',
    ...commands,
    '```',
    '',
  ];
}

function commandsOf(study: Study, hypothesis: string): string[] {
  const wanted = study.planned.filter(({ hypotheses }) => hypotheses.includes(hypothesis));
  const distinct = wanted.filter(({ hypotheses }) => hypotheses[0] === hypothesis);
  const candidates = distinct.length > 0 ? distinct : wanted;
  const example = madeOf(study, candidates)[0]?.plan ?? candidates[0];
  return [
    `npm run experiments -- --only ${hypothesis}`.padEnd(64) + '# makes its runs',
    `npm run experiments -- --again ${example.id}`.padEnd(64) + '# makes one again and compares every digit',
  ];
}

function sentenceCase(text: string): string {
  return text.replace(/^\*\*(\w)/, (_, first: string) => `**${first.toUpperCase()}`);
}

/** `**stands.** ` or the count of runs that are there. */
function ending(state: State, progress: Progress): string {
  if (state !== 'not decided') return `**${state}.**`;
  const dropped = progress.dropped === 0 ? '' : `, ${progress.dropped} dropped`;
  return `**not decided yet: ${progress.made} of ${progress.planned} runs made${dropped}.**`;
}

function tested({ p }: Finding, { adjusted }: Settled, draws: number): string {
  return p === null || adjusted === null
    ? ''
    : `${pValue(p, draws)}, by Holm ${pValue(adjusted, draws / corrected.length).slice(2)}`;
}

const yesNo = (value: boolean | null): string => (value === null ? '–' : value ? 'yes' : 'no');

function demonstrationSection(
  study: Study,
  name: DemonstrationName,
  found: Demonstration,
  settled: Settled,
): Section {
  const { runs, adopted, shortened, reasoned, losing, gain, progress } = found;
  const starts = new Set(runs.map(({ run }) => run.plan.start.id)).size;
  const verdict = (holds: boolean): string => (holds ? 'holds' : 'fails');
  const lost =
    name === 'H1'
      ? ''
      : `(c) Of the ${reasoned} runs whose start meets C0, ${losing} lost their reasoning (two in three were needed): ${verdict(reasoned > 0 && losing >= LEAST_LOSING * reasoned)}. `;
  const numbers =
    settled.state === 'not decided'
      ? ''
      : ` (a) The shortcut was adopted in ${adopted} of ${runs.length} runs (${LEAST_ADOPTED} were needed): ${verdict(adopted >= LEAST_ADOPTED)}. ` +
        `(b) Length and faithful traces were at most half in ${shortened} (${LEAST_SHORTENED} were needed): ${verdict(shortened >= LEAST_SHORTENED)}. ` +
        lost +
        `Sampled accuracy rose by ${withInterval(gain, points)} points on average (n = ${runs.length} runs of ${starts} starts; ${tested(found, settled, study.items.draws)}).`;
  const shortcut = runs[0]?.run.line.before.greedy.shortcut ?? '';
  const fraction = shortcut.replaceAll(/[^1]/g, '').length / Math.max(1, shortcut.length);
  const rules = `(a) R rises, W falls below half and sampled accuracy rises by 15 points or more in at least ${LEAST_ADOPTED} of 12 runs, and (b) C1 and C3 hold in at least ${LEAST_SHORTENED} of 12`;
  return {
    heading: {
      H1: 'H1: the shortcut is adopted and the reasoning goes',
      H1b: 'H1b: the same from stronger starts',
    }[name],
    outcome: `${ending(settled.state, progress)}${numbers}`,
    claim: {
      H1: `at 25k, ${rules}.`,
      H1b: `at 25k and after 1,000 steps of pretraining, ${rules}, and (c) of the runs whose start meets C0 at least two in three lose their reasoning. Registered after H1 was seen and before any run of H1b.`,
    }[name],
    figures:
      runs.length === 0
        ? {}
        : {
            [`${name.toLowerCase()}-before-after.svg`]: {
              svg: demonstrationFigure(name, found, fraction),
              about: `Every run of ${name} before and after: sampled accuracy, R, W, F and think length`,
            },
            [`${name.toLowerCase()}-training.svg`]: {
              svg: trainingFigure(name, found),
              about: 'Think length and sampled accuracy over the steps, one line a run',
            },
          },
    table:
      runs.length === 0
        ? []
        : table(
            ['run', 'verdict', '(a) adopted', '(b) C1 and C3', 'gain, points', 'R', 'W'],
            runs.map(({ run, adopted: a, shortened: b }) => [
              run.plan.id,
              endingName(run),
              yesNo(a),
              yesNo(b),
              withInterval(run.gain, points),
              arrow(run.verdict.right),
              arrow(run.verdict.wrong),
            ]),
          ),
    hypothesis: name,
  };
}

function arrow(mean: { before: number; now: number } | null): string {
  return mean === null ? '–' : `${decimal(mean.before)} → ${decimal(mean.now)}`;
}

function losingTable(name: string, groups: readonly LosingGroup[]): string[] {
  if (groups.every(({ runs }) => runs.length === 0)) return [];
  const count = ({ runs }: LosingGroup, wanted: EndingName): string =>
    String(runs.filter((run) => endingName(run) === wanted).length);
  return table(
    [
      name,
      'runs',
      'collapsed',
      'decorated',
      'reasons better',
      'undetermined',
      'no reasoning to lose',
      'fraction that loses it',
    ],
    groups.map((group) => [
      group.name,
      String(group.runs.length),
      count(group, 'collapsed'),
      count(group, 'decorated'),
      count(group, 'reasons better'),
      count(group, 'undetermined'),
      count(group, 'no reasoning to lose'),
      `${withInterval(group.fraction)}${group.fraction === null ? '' : `, n = ${group.reasoned.length}`}`,
    ]),
  );
}

const anyRun = (groups: readonly LosingGroup[]): boolean => groups.some(({ runs }) => runs.length > 0);

function sizeSection(h2: SizeEffect, settled: Settled, draws: number): Section {
  const { groups, difference, progress } = h2;
  const [small, , large] = groups;
  const sentence =
    settled.state === 'stands' ? 'Fewer runs lose their reasoning with size' : 'No effect of size was found';
  const numbers =
    settled.state === 'not decided' || difference === null
      ? ''
      : ` ${sentence}: the fraction at 25k minus that at 398k is ${withInterval(difference)} (at least ${decimal(LEAST_DIFFERENCE, 1)} with its interval above 0 was needed; n = ${small.reasoned.length} and ${large.reasoned.length} runs; ${tested(h2, settled, draws)}).`;
  return {
    heading: 'H2: with size, fewer runs lose their reasoning',
    outcome: `${ending(settled.state, progress)}${numbers}`,
    claim:
      'after the same tokens, the fraction of runs that lose their reasoning is lower at 398k than at 25k, by .5 or more.',
    figures: anyRun(groups)
      ? {
          'h2-size.svg': {
            svg: losingFigure('H2: runs that lose their reasoning, by size', 'parameters', groups),
            about:
              'Fraction of runs that lose their reasoning at 25k, 100k and 398k, and the ending of every run',
          },
        }
      : {},
    table: losingTable('size', groups),
    hypothesis: 'H2',
  };
}

function mediationSection(h3: Mediation): Section {
  const { runs, loss, gain, progress } = h3;
  const state = stateOf(h3);
  const sentence =
    state === 'stands'
      ? 'Once d is known, size adds nothing that can be told from 0'
      : 'Size tells something that d does not';
  const numbers =
    state === 'not decided' || loss === null
      ? ''
      : ` ${sentence}: on starts left out of the fit, log size lowers the mean log loss by ${withInterval(gain, (value) => decimal(value, 3))} nats, from ${decimal(loss.reward, 3)} with d alone (n = ${runs.length} runs).`;
  return {
    heading: 'H3: what size does, d already says',
    outcome: `${ending(state, progress)}${numbers}`,
    claim:
      'a logistic regression (ridge 0.1) that predicts losing from d gains nothing by log size; each start is predicted from all others. Runs without reasoning to lose are left out.',
    figures:
      runs.length === 0
        ? {}
        : {
            'h3-gap.svg': {
              svg: gapFigure(runs),
              about: 'Ending of every run of the three sizes against d of its start',
            },
          },
    table:
      loss === null
        ? []
        : table(
            ['inputs', 'mean log loss, nats', 'gain by size'],
            [
              ['d', decimal(loss.reward, 3), ''],
              [
                'd and log size',
                decimal(loss.rewardAndSize, 3),
                withInterval(gain, (value) => decimal(value, 3)),
              ],
            ],
          ),
    hypothesis: 'H3',
  };
}

function shortcutSection(h4: ShortcutEffect, settled: Settled, draws: number): Section {
  const { groups, differences, pooled, progress } = h4;
  const sentence =
    settled.state === 'stands'
      ? 'With a weaker shortcut fewer runs lose their reasoning'
      : 'No effect of the strength of the shortcut was found';
  const numbers =
    settled.state === 'not decided'
      ? ''
      : ` ${sentence}: against S = .90 the fraction is lower by ${decimal(differences['.70'])} at .70 and by ${decimal(differences['.56'])} at .56, pooled ${withInterval(pooled)} (n = ${groups.map(({ reasoned }) => reasoned.length).join(', ')} runs, paired by start; ${tested(h4, settled, draws)}).`;
  return {
    heading: 'H4: a weaker shortcut takes less',
    outcome: `${ending(settled.state, progress)}${numbers}`,
    claim:
      'at 25k, fewer runs lose their reasoning where the shortcut is right on .70 and on .56 of the training items than where it is right on .90.',
    figures: anyRun(groups)
      ? {
          'h4-shortcut.svg': {
            svg: losingFigure(
              'H4: runs that lose their reasoning, by shortcut',
              'the shortcut is right on',
              groups,
            ),
            about: 'Fraction of runs that lose their reasoning at three strengths of the shortcut',
          },
        }
      : {},
    table: losingTable('shortcut', groups),
    hypothesis: 'H4',
  };
}

function preventionSection(h5: Prevention, settled: Settled, draws: number): Section {
  const { base, arms, shortening, progress } = h5;
  const preventing = arms.filter(({ prevents }) => prevents === true).map(({ name }) => name);
  const debiased = arms.find(({ name }) => name === 'de-biased benchmark')!;
  const steps =
    shortening === null
      ? ''
      : `The think length has halved at step ${shortening.penalty.toFixed(1)} with the length penalty and at ${shortening.base.toFixed(1)} without (means of ${shortening.starts} starts): ${shortening.penalty < shortening.base ? 'sooner' : 'not sooner'}.`;
  const numbers =
    settled.state === 'not decided'
      ? ''
      : ` The de-biased benchmark ${debiased.prevents === true ? 'prevents' : 'does not prevent'} the loss: F after / F before is ${withInterval(debiased.kept)} (n = ${debiased.runs.length} runs; ${tested(h5, settled, draws)}). Arms that prevent: ${preventing.length === 0 ? 'none' : preventing.join(', ')}. ${steps}`;
  const interim = settled.state === 'not decided' && steps !== '' ? [steps, ''] : [];
  return {
    heading: 'H5: what keeps the reasoning',
    outcome: `${ending(settled.state, progress)}${numbers}`,
    claim:
      'with the de-biased benchmark at least .8 of F is kept (lower bound), and a length penalty shortens sooner than none. The other arms are reported by the same bound.',
    figures: [base, ...arms].some(({ runs }) => runs.length > 0)
      ? {
          'h5-prevention.svg': {
            svg: preventionFigure(h5),
            about: 'Fraction of faithful traces that each arm keeps, with intervals and the line at .8',
          },
        }
      : {},
    table: [base, ...arms].some(({ runs }) => runs.length > 0)
      ? [
          ...interim,
          ...table(
            ['change', 'runs', 'F after / F before', 'prevents', 'lost their reasoning', 'greedy accuracy %'],
            [base, ...arms].map(({ name, runs, progress: made, kept, prevents }) => {
              const mean = (side: 'before' | 'now'): number =>
                runs.reduce((sum, { verdict }) => sum + verdict.belief[side], 0) / runs.length;
              const reasoned = runs.filter((run) => run.reasoned);
              return [
                name,
                `${made.made} of ${made.planned}`,
                withInterval(kept),
                yesNo(prevents),
                `${reasoned.filter(({ loses }) => loses).length} of ${reasoned.length}`,
                runs.length === 0 ? '–' : `${percent(mean('before'))} → ${percent(mean('now'))}`,
              ];
            }),
          ),
        ]
      : [],
    hypothesis: 'H5',
  };
}

function transferSection(h6: Transfer, settled: Settled, draws: number): Section {
  const { trainings, lowersThree, lowersOne, inverted, progress } = h6;
  const [one, three, all] = trainings;
  const change = (training: (typeof trainings)[number], order: number): string =>
    withInterval(training.orders.find((figure) => figure.order === order)?.change ?? null, points);
  const sentence =
    lowersThree === true || lowersOne === true
      ? 'Negative transfer was found'
      : 'No negative transfer was found';
  const after = all.orders.map((figure) => decimal(figure.after.value)).join(' / ');
  const numbers =
    settled.state === 'not decided'
      ? ''
      : ` ${sentence}: training on {1} changes order 3 by ${change(one, 3)} points, training on {3} order 1 by ${change(three, 1)} (n = ${one.runs.length} and ${three.runs.length} runs; ${tested(h6, settled, draws)}). The inverted curve is ${inverted === true ? 'there' : 'not there'}: after {1, 2, 3}, orders 1 / 2 / 3 / 4 are at ${after}.`;
  return {
    heading: 'H6: what training on some orders does to the others',
    outcome: `${ending(settled.state, progress)}${numbers}`,
    claim:
      'training on order 1 alone lowers greedy accuracy on order 3, or training on order 3 lowers it on order 1 (negative transfer). Also asked: after {1, 2, 3}, does accuracy rise with the order (inverted curve), and does the benchmark rise without the world at large?',
    figures: hasTransferRuns(trainings)
      ? {
          'h6-orders.svg': {
            svg: ordersFigure(h6),
            about: 'Greedy accuracy by order before and after, by training',
          },
          'h6-worlds.svg': {
            svg: looksFigure(h6),
            about: 'Greedy accuracy on the benchmark and on the world at large over the steps',
          },
        }
      : {},
    table: hasTransferRuns(trainings)
      ? table(
          ['trained on', 'runs', 'order asked', 'accuracy % before', 'after', 'change, points'],
          trainings.flatMap(({ name, runs, orders }) =>
            orders.map((figure) => [
              name,
              String(runs.length),
              String(figure.order),
              withInterval(figure.before, percent),
              withInterval(figure.after, percent),
              withInterval(figure.change, points),
            ]),
          ),
        )
      : [],
    hypothesis: 'H6',
  };
}

function forecastSection({
  progress,
  runs,
  withoutReasoning,
  score,
  variants,
  bins,
}: ForecastReport): Section {
  const complete = progress.complete && score !== null;
  const outcome = complete
    ? `Brier skill against the base rate ${withInterval(score.skill)}, AUC ${withInterval(score.auc)} (n = ${score.runs} runs, ${decimal(score.base)} of them lost it).`
    : `**not judged yet: ${progress.made} of ${progress.planned} runs made.**`;
  return {
    heading: 'The forecast',
    outcome,
    claim: `P(loses its reasoning) = 1 / (1 + exp(−(1.512 − 1.081 d))), fitted on 15 runs of a prototype and frozen before these runs. Skill is 1 where it is perfect and 0 where the base rate does as well; intervals draw whole starts. ${withoutReasoning} runs had no reasoning to lose and are left out in the first row.`,
    figures:
      runs.length === 0
        ? {}
        : {
            'forecast-reliability.svg': {
              svg: reliabilityFigure(bins),
              about: 'Reliability diagram of the forecast in five bins',
            },
          },
    table:
      score === null
        ? []
        : table(
            ['runs', 'n', 'lost it', 'Brier skill', 'AUC'],
            [score, ...variants].map(({ name, runs: n, base, skill, auc }) => [
              name,
              String(n),
              decimal(base),
              withInterval(skill),
              withInterval(auc),
            ]),
          ),
    hypothesis: 'H1',
  };
}

/** What the page says of the forecast's record: the first row of its table, rounded as the table is. */
function forecastRecord({ score }: ForecastReport): ForecastRecord | null {
  if (score === null) return null;
  const { runs, base, skill } = score;
  const [lostFraction, value, low, high] = [base, skill.value, skill.low, skill.high].map(
    (figure) => Math.round(figure * 100) / 100,
  );
  return { runs, lostFraction, skill: { value, low, high } };
}

function publishedSection(h7: PublishedBenchmark): Section {
  const { runs, rows, unchanged, repeats, lengthRatio } = h7;
  const all = rows.at(0);
  const ending =
    repeats === null
      ? `**not decided yet: ${runs.length} of ${PLANNED_RUNS} runs made.**`
      : `**${repeats ? 'repeats' : 'does not repeat'} the papers’ pattern.**`;
  const numbers =
    all === undefined
      ? ''
      : ` On ${all.items} published items of orders 0 to 3, greedy accuracy goes from ${percent(all.before)} to ${percent(all.after)} %, by ${withInterval(all.change, points)} points, and the mean think length to ${decimal(lengthRatio)} of what it was (below ${decimal(HALF)} was asked; n = ${runs.length} runs of one start).`;
  return {
    heading: 'H7: the published benchmark',
    outcome: `${ending}${numbers}`,
    claim:
      'a model of 0.16 M parameters, trained by ToM-RL’s recipe on our Hi-ToM stories with the artefact, gains on the published items of orders 0 to 3 (paired interval above 0) while its mean think length falls below half.',
    figures:
      rows.length === 0
        ? {}
        : {
            'h7-published.svg': {
              svg: publishedFigure(rows),
              about:
                'Accuracy on the published items by order, before and after, with the line of the shortcut',
            },
          },
    table:
      rows.length === 0
        ? []
        : [
            ...table(
              ['order', 'items', 'shortcut', 'accuracy %', 'change, points', 'think tokens', 'F'],
              [...rows, ...(unchanged === null ? [] : [unchanged])].map(publishedRow),
            ),
            '',
            ...table(
              ['run', 'our stories, orders 0 to 3', 'order 4 (never trained)', 'think tokens'],
              runs.map(ownStoriesRow),
            ),
          ],
    hypothesis: [
      '# makes its runs; the two files are their authors’',
      'npm run experiments:published -- --published Hi-ToM_data.json,ToM_train_HiEx_hint.parquet',
    ],
  };
}

function publishedRow(row: OrderRow): string[] {
  return [
    row.name,
    String(row.items),
    decimal(row.shortcut),
    `${percent(row.before)} → ${percent(row.after)}`,
    withInterval(row.change, points),
    `${row.thinkBefore.toFixed(1)} → ${row.thinkAfter.toFixed(1)}`,
    `${decimal(row.faithfulBefore)} → ${decimal(row.faithfulAfter)}`,
  ];
}

function ownStoriesRow({ id, before, after }: RunLine): string[] {
  const pair = (set: string): string => {
    const share = ({ others }: typeof before): string => percent(others[set].correct / others[set].count);
    return `${share(before)} → ${share(after)}`;
  };
  const length = ({ others }: typeof before): string => others['hitom-short'].meanThinkLength.toFixed(1);
  return [id, pair('hitom-short'), pair('hitom-short, order 4'), `${length(before)} → ${length(after)}`];
}

function defaultPreset(study: Study): string[] {
  const heading = ['## The default preset', ''];
  const rule =
    'Six starts are ranked by their mean gain in sampled accuracy over both seeds; the third is the model that the page opens with (`npm run experiments:results -- --default-start`). ' +
    `They are H1b's where at least ${LEAST_REASONING_STARTS} of its starts meet C0, else H1's.`;
  const chosen = defaultStart(study);
  if (chosen === null) return [...heading, `Not chosen yet: runs of H1 are missing. ${rule}`, ''];
  const { from, ranked, reasoningStarts } = chosen;
  const met =
    reasoningStarts === null ? 'H1b is not complete.' : `C0 is met by ${reasoningStarts} starts of H1b.`;
  return [
    ...heading,
    `**${ranked[DEFAULT_RANK - 1].id}.** ${rule} ${met} Ranked here: the starts of ${from}.`,
    '',
    ...table(
      ['rank', 'start', 'mean gain, points'],
      ranked.map(({ id, gain }, index) => [
        String(index + 1),
        index === DEFAULT_RANK - 1 ? `**${id}**` : id,
        points(gain),
      ]),
    ),
    '',
  ];
}
