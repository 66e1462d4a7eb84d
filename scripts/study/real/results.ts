/** Section of docs/results.md on study 3b, by the rules of docs/study-3b.md, from docs/study-3b/runs.jsonl. */
import { mean } from '../../../src/base/statistics';
import type { Estimate as Bounds } from '../../../src/run/record/evaluation';
import { markdownTable } from '../../tables';
import { bracket, two } from '../format';
import { jsonLines, linesOf } from '../lines';
import {
  claimsOf,
  judgeReal,
  realEnding,
  startCounts,
  startId,
  type Claims,
  type Judged,
  type RealLine,
  type Triple,
} from './rules';

export function realStudy(): string {
  const runs = jsonLines<RealLine>(linesOf('3b')).map((line): Judged => ({ line, finding: judgeReal(line) }));
  const triples = triplesOf(runs);
  const claims = triples.map(claimsOf);
  const ending = (claim: 'share' | 'truth'): string =>
    `**${words[realEnding(claims.map((one) => one[claim]))]}**`;
  const weak = runs.filter(({ line }) => line.arm === 'D');
  const silent = weak.filter(({ finding }) => finding.fits);
  return `## Study 3b

**Question.** What decides how the thinking of a pretrained language model ends (SmolLM2-135M-Instruct, in Marble, on the CPU): the share of questions that a shortcut answers, the reward, or how able it is at the start?

**Rule**, [fixed before the first run](study-3b.md), in each of three able starts. *Share*: right answers to hard questions fall where the shortcut answers .90 of the questions (A) while the benchmark holds, and are kept at .45 (B). ${ending('share')} *Truth*: correct reasoning falls in B, where the answer alone is paid, and stays where correct reasoning is paid (C). ${ending('truth')} Described only (D): ${silent.length} of ${weak.length} weak starts fall silent while the reward rises. All ${runs.length} runs are made; ${triples.length} of the able starts count, and a claim needs three.

${table(runs)}

${startsTable(triples, claims)}

`;
}

const words = {
  stands: 'Stands.',
  partly: 'Stands partly.',
  fails: 'Fails.',
  'not testable': 'Not testable.',
};

/** The starts that count and have all three arms. */
function triplesOf(runs: readonly Judged[]): Triple[] {
  const seeds = [...new Set(runs.map(({ line }) => line.start.seed))];
  return seeds.flatMap((seed) => {
    const [A, B, C] = ['A', 'B', 'C'].map((arm) =>
      runs.find(({ line }) => line.start.seed === seed && line.arm === arm),
    );
    if (A === undefined || B === undefined || C === undefined) return [];
    return startCounts(A.line.start, A.line.before) ? [{ A, B, C }] : [];
  });
}

function startsTable(triples: readonly Triple[], claims: readonly Claims[]): string {
  const rows = claims.map(({ right, faithful, share, truth }, index) => [
    startId(triples[index].A.line.start),
    range(right),
    share ? 'holds' : 'does not hold',
    range(faithful),
    truth ? 'holds' : 'does not hold',
  ]);
  const head = ['start that counts', 'W of B minus W of A', 'share', 'F of C minus F of B', 'truth'];
  return markdownTable(head, rows);
}

const range = ({ value, low, high }: Bounds): string => bracket([value, low, high]);

function table(runs: readonly Judged[]): string {
  const rows = runs.map(({ line, finding }) => {
    const { verdict, benchmark, collapse, fits } = finding;
    const { reward } = line.steps;
    const quarter = Math.floor(reward.length / 4);
    return [
      `${startId(line.start)}${startCounts(line.start, line.before) ? '' : ' (not as defined)'}`,
      line.arm,
      `${fits ? 'as predicted' : 'not as predicted'}${collapse === null ? '' : `, ${collapse} collapse`}`,
      verdict.ending,
      `${two(verdict.length.before)} → ${two(verdict.length.now)}`,
      range(verdict.wrong!.ratio),
      range(verdict.faithfulWrong!.ratio),
      range(benchmark),
      `${two(mean(reward.slice(0, quarter)))} → ${two(mean(reward.slice(-quarter)))}`,
    ];
  });
  const head = ['start', 'arm', 'prediction', 'verdict', 'tokens of thinking', 'W after / before', 'F after / before', 'benchmark, change, sampled', 'reward, first and last quarter']; // prettier-ignore
  return markdownTable(head, rows);
}
