/** A run on one picture to send: its name, its verdict with intervals, two curves, and the link that makes it again. */
import type { Evaluation } from '../../run/record/evaluation';
import type { RunRecord } from '../../run/record/run-record';
import { standingOf } from '../../run/verdict/ending';
import { runName } from '../../share/name';
import { endingSentence, signed, verdictsOf } from './ending-words';
import { percent } from '../ui/numbers';
import { presetNames } from '../start/preset-names';
import { cutWords } from './verdict-pattern';
import { card, cardWidth, quiet, text } from './card-drawing';

/** Of the style sheet's light side: the card looks the same wherever it is opened. */
const hues = {
  thinking: '#6d3fb0',
  accuracy: '#1b1e23',
  rule: '#e3e0d8',
};

const linkCharacters = 118;
const linkLines = 3;

interface CardCurve {
  title: string;
  hue: string;
  /** What one reads off its ends. */
  words: string;
  points: readonly (readonly [step: number, value: number])[];
  top: number;
}

/**
 * @param facts - lines at the foot: the link, on which machine it ran
 * @returns an SVG document of `cardWidth` x `cardHeight`, with system fonts and nothing from outside
 */
export function resultCard(
  record: RunRecord,
  evaluations: readonly Evaluation[],
  facts: readonly string[],
): string {
  const verdicts = verdictsOf(evaluations);
  const standing = standingOf(verdicts);
  const verdict = verdicts.at(-1);
  const headline = standing === null ? 'No verdict yet' : endingSentence(standing);
  const cut = cutWords(evaluations[0]?.report.causalUse, evaluations.at(-1)?.report.causalUse);
  const faithfulWrong = verdict?.faithfulWrong ?? null;
  const provisional = standing?.provisional === true ? ' so far' : '';
  const figures =
    verdict === undefined
      ? []
      : [
          `Accuracy on beliefs ${percent(verdict.belief.before)} → ${percent(verdict.belief.now)}: ${interval(verdict.belief.change)} points`,
          `Thinking ${verdict.length.before.toFixed(1)} → ${verdict.length.now.toFixed(1)} tokens`,
          ...(cut !== ''
            ? [cut]
            : verdict.faithful === null
              ? []
              : [
                  `True thinking ${percent(verdict.faithful.before)} → ${percent(verdict.faithful.now)}${faithfulWrong === null ? '' : `; on hard questions ${percent(faithfulWrong.before)} → ${percent(faithfulWrong.now)}`}`,
                ]),
          `${verdict.belief.count} questions, each compared with itself at step 0; 90 % interval in brackets`,
        ];
  const curves = curvesOf(evaluations);
  const body = [
    text(40, 56, 'Marble', 22, { weight: 700 }),
    text(cardWidth - 40, 56, presetNames[record.config.preset] ?? record.config.preset, 20, {
      anchor: 'end',
    }),
    text(40, 108, headline + provisional, 34, { weight: 600, serif: true }),
    text(40, 140, `${runName(record.config)}; ${record.step} of ${record.config.steps} steps`, 16, {
      hue: quiet,
    }),
    ...figures.map((line, row) => text(40, 180 + 26 * row, line, 17)),
    ...curves.flatMap((curve, place) => drawn(curve, 40 + place * 475, 300, record.config.steps)),
    ...facts
      .flatMap((fact) => broken(fact))
      .map((line, row) => text(40, 492 + 18 * row, line, 13, { hue: quiet })),
  ];
  return card(body);
}

function interval({ value, low, high }: { value: number; low: number; high: number }): string {
  return `${signed(100 * value)} [${signed(100 * low)}, ${signed(100 * high)}]`;
}

function curvesOf(evaluations: readonly Evaluation[]): CardCurve[] {
  const over = (of: (evaluation: Evaluation) => number): [number, number][] =>
    evaluations.map((evaluation): [number, number] => [evaluation.report.step, of(evaluation)]);
  const thinking = over(({ report }) => report.meanThinkLength);
  const wrong = over(({ report }) => report.shortcutWrong.accuracy);
  const ends = (points: [number, number][], word: (value: number) => string): string =>
    points.length === 0 ? '' : `${word(points[0][1])} → ${word(points[points.length - 1][1])}`;
  return [
    {
      title: 'Tokens of thinking',
      hue: hues.thinking,
      words: ends(thinking, (value) => value.toFixed(1)),
      points: thinking,
      top: Math.max(1, ...thinking.map(([, value]) => value)),
    },
    {
      title: 'Right answers to hard questions',
      // As in the charts: orange are the easy ones.
      hue: hues.thinking,
      words: ends(wrong, percent),
      points: wrong,
      top: 1,
    },
  ];
}

const plotWidth = 440;
const plotHeight = 110;

function drawn(
  { title, hue, words, points, top }: CardCurve,
  left: number,
  upper: number,
  steps: number,
): string[] {
  const x = (step: number): string => (left + (plotWidth * step) / Math.max(1, steps)).toFixed(1);
  const y = (value: number): string => (upper + 24 + plotHeight * (1 - value / top)).toFixed(1);
  const bottom = upper + 24 + plotHeight;
  const path = points
    .map(([step, value], index) => `${index === 0 ? 'M' : 'L'}${x(step)} ${y(value)}`)
    .join('');
  return [
    text(left, upper + 8, title, 15, { weight: 600 }),
    text(left + plotWidth, upper + 8, words, 15, { anchor: 'end', hue }),
    `<path d="M${left} ${bottom}H${left + plotWidth}" stroke="${hues.rule}" stroke-width="2"/>`,
    path === ''
      ? ''
      : `<path d="${path}" fill="none" stroke="${hue}" stroke-width="3" stroke-linejoin="round"/>`,
    text(left, bottom + 18, '0', 13, { hue: quiet }),
    text(left + plotWidth, bottom + 18, `step ${steps}`, 13, { anchor: 'end', hue: quiet }),
  ];
}

/** A link has no spaces at which it could be broken. */
function broken(fact: string): string[] {
  const lines: string[] = [];
  for (let from = 0; from < fact.length; from += linkCharacters) {
    lines.push(fact.slice(from, from + linkCharacters));
  }
  return lines.length <= linkLines ? lines : [...lines.slice(0, linkLines - 1), `${lines[linkLines - 1]}…`];
}
