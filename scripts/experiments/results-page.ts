/** docs/results.md as text, with its figures: everything on it comes from the lines under docs/experiments/. */
import type { ForecastRecord } from '../../src/run/forecast-model';
import { points, pValue, table } from './format';
import {
  DEFAULT_RANK,
  defaultStart,
  demonstration,
  LEAST_REASONING_STARTS,
} from './hypotheses/demonstration';
import { corrected, settle } from './hypotheses/finding';
import { forecastReport } from './hypotheses/forecast';
import { mediation } from './hypotheses/mediation';
import { prevention } from './hypotheses/prevention';
import { publishedBenchmark } from './hypotheses/published';
import { shortcutEffect } from './hypotheses/shortcut';
import { sizeEffect } from './hypotheses/size';
import { transfer } from './hypotheses/transfer';
import type { DropLine, FailureLine, RunLine } from './lines';
import { closing } from './results-closing';
import { demonstrationSection } from './sections/demonstration';
import { forecastSection, forecastRecord } from './sections/forecast';
import { preventionSection } from './sections/prevention';
import { publishedSection } from './sections/published';
import { type Section } from './sections/section';
import { shortcutSection } from './sections/shortcut';
import { sizeSection, mediationSection } from './sections/size';
import { transferSection } from './sections/transfer';
import { madeOf, type Study } from './study';

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
    '- **collapsed**: C0 to C3. **decorated**: the length stays, faithful traces or right answers where the shortcut is wrong do not (C0, C2, not C1, and C3 or W halved). Both *lose their reasoning*. **reasons better**: accuracy up, F and W not down. Else **undetermined**; where C0 fails, **no reasoning to lose**.',
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
