/** Section of docs/results.md on study 3b, by the rules of docs/study-3b.md, from docs/study-3b/runs.jsonl. */
import { existsSync, readFileSync } from 'node:fs';
import { mean } from '../../../src/base/statistics';
import type { Estimate as Bounds } from '../../../src/run/record/evaluation';
import { markdownTable } from '../../tables';
import { bracket, two } from '../format';
import { linesOf } from '../lines';
import { realRuns, startId } from './plan';
import { judgeReal, realEnding, startCounts, type RealFinding, type RealLine } from './rules';

interface Judged {
  line: RealLine;
  finding: RealFinding;
}

/** Empty before the first counted run. */
export function realStudy(file = linesOf('3b')): string {
  if (!existsSync(file)) return '';
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return section(
    lines.map((text): Judged => {
      const line = JSON.parse(text) as RealLine;
      return { line, finding: judgeReal(line) };
    }),
  );
}

function section(runs: readonly Judged[]): string {
  const all = realRuns.length;
  return `## Study 3b

**Question.** Does a pretrained language model (SmolLM2-135M-Instruct, in Marble, on the CPU) stop thinking where a shortcut answers nearly all questions, and keep thinking where it does not?

**Rule**, [fixed before the first run](study-3b.md): in each of three able starts arm A collapses and arm B keeps more than half. ${runs.length} of ${all} runs are made${runs.length < all ? '; the rule is decided when all are' : `. **The study ${endingOf(runs)}.**`}.

${table(runs)}

`;
}

/** The ending of the rule, over the starts that count. */
function endingOf(runs: readonly Judged[]): string {
  const of = (seed: number, arm: string): Judged | undefined =>
    runs.find(({ line }) => line.start.seed === seed && line.arm === arm);
  const seeds = [...new Set(runs.map(({ line }) => line.start.seed))];
  const triples = seeds.flatMap((seed) => {
    const [A, B] = [of(seed, 'A'), of(seed, 'B')];
    if (A === undefined || B === undefined || !startCounts(A.line.start, A.line.before)) return [];
    return [{ A: A.finding, B: B.finding }];
  });
  const ending = realEnding(triples);
  return ending === 'partly' ? 'stands partly' : ending === 'not testable' ? 'is not testable' : ending;
}

function table(runs: readonly Judged[]): string {
  const range = ({ value, low, high }: Bounds): string => bracket([value, low, high]);
  const rows = runs.map(({ line, finding }) => {
    const { verdict, benchmark, collapse, fits } = finding;
    const { reward } = line.steps;
    const quarter = Math.floor(reward.length / 4);
    return [
      `${startId(line.start)}${startCounts(line.start, line.before) ? '' : ' (not as defined)'}`,
      line.arm,
      fits ? 'as predicted' : 'not as predicted',
      collapse ?? '',
      `${two(verdict.length.before)} → ${two(verdict.length.now)}`,
      range(verdict.wrong!.ratio),
      range(verdict.faithfulWrong!.ratio),
      range(benchmark),
      `${two(mean(reward.slice(0, quarter)))} → ${two(mean(reward.slice(-quarter)))}`,
    ];
  });
  const head = ['start', 'arm', 'prediction', 'collapse', 'tokens of thinking', 'W kept', 'F_W kept', 'benchmark, change, sampled', 'reward, first and last quarter']; // prettier-ignore
  return markdownTable(head, rows);
}
