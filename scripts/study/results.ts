/**
 * Writes docs/results.md, docs/study-2/runs.md, their figures and the sentences on results in README.md from the lines of
 * docs/study-2/runs.jsonl, docs/study-2/hitom.jsonl, docs/study-3a/runs.jsonl and docs/study-3b/runs.jsonl: `npm run
 * experiments:results`. Of each study: the question, the rules, a table and a picture, what failed before what stands.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { mean } from '../../src/base/statistics';
import { silence } from '../../src/run/recording/paid-step';
import type { Verdict } from '../../src/run/record/evaluation';
import { endings } from '../../src/run/verdict/ending';
import { hasReasoned } from '../../src/run/verdict/rule';
import { markdownTable, replaceMarked } from '../tables';
import { beforeAfterFigure, ladderFigure, ordersFigure, sizes, worldsFigure } from './figures';
import { fractionOf, judge, ofSize, readLines, type JudgedRun, type Size } from './lines';
import { bracket, change, two } from './format';
import { realStudy } from './real/results';
import { payStudy } from './results-3a';
import { published } from './results-published';
import { foretelling, meanInterval, pairedGain, rankCorrelation, sizeRule, type Estimate } from './rules';

const FIGURES = 'docs/study-2/figures';
const PAGE = 'docs/results.md';
const RUNS = 'docs/study-2/runs.md';
const README = 'README.md';
/** Head of the first section that does not change: the pilots and the first study. */
const CLOSED = '## How many tokens';
/** Right on nearly all hard questions. */
const NEARLY_ALL = 0.97;
const LADDER = ['12k', '25k', '398k'] as const;
/** Mean reward of an answer in form by the learned shortcut, which is right on nine benchmark items in ten: 3, else −.5. */
const SHORTCUT_PAY = 0.9 * 3 + 0.1 * -0.5;
/** Of W at the start. */
const RECOVERED = 0.1;
/** Seed of the page's ladder, by the rule for the default presets. */
const LADDER_SEED = 24;

const judged = readLines('2').map((line) => judge(line));
const base = judged.filter(({ line }) => line.arm === 'base');

/** The texts of all files that this program writes, by path. */
export function resultFiles(): Record<string, string> {
  const page = readFileSync(PAGE, 'utf8');
  const { section, sentence, figure } = payStudy();
  return {
    [`${FIGURES}/ladder.svg`]: ladderFigure(base),
    [`${FIGURES}/before-after.svg`]: beforeAfterFigure(base),
    [`${FIGURES}/worlds.svg`]: worldsFigure(base),
    [`${FIGURES}/orders.svg`]: ordersFigure(base),
    [`docs/${figure[0]}`]: figure[1],
    [PAGE]: `${findings()}${section}${realStudy()}${published(page)}${page.slice(page.indexOf(CLOSED))}`,
    [RUNS]: everyRun(),
    [README]: replaceMarked(readFileSync(README, 'utf8'), 'results', sentences(sentence)),
  };
}

if (process.argv[1]?.endsWith('results.ts'))
  for (const [file, text] of Object.entries(resultFiles())) writeFileSync(file, text);

/** Three sentences for README.md, from the tables. */
function sentences(ofPay: string): string {
  const [small, large] = [ofSize(base, '25k'), ofSize(base, '398k')];
  const { ending, small: kSmall, large: kLarge, p } = sizeRule(small, large);
  const rewarded = LADDER.flatMap((size) => ofSize(base, size));
  const rising = rewarded.filter(({ line }) => risesInReward(line.steps.reward)).length;
  return `The registered claim that size keeps the reasoning **${ending}**: the largest models keep ${two(kLarge)} of their accuracy on hard questions and the middle ones ${two(kSmall)} (p = ${p.toPrecision(2)}), and ${large.filter(keeps).length} of ${large.length} of the largest surely keep thinking.
The reward rises in ${rising} of ${rewarded.length} runs, which end as ${endingCounts(rewarded)}: the reward does not show whether a model thinks. The papers’ pattern (greedy accuracy surely rises, reasoning is lost) shows in ${withPattern().length} of ${base.length} base runs.
The reward of thinking before training predicts which runs fall silent (AUC ${two(aucOf((run) => run.d))}); size predicts it almost as well (${two(aucOf(sizeOf))}). It does not predict which runs keep their reasoning. ${ofPay}`;
}

/** From the mean of the first ten steps to that of the last ten. */
function risesInReward(reward: readonly number[]): boolean {
  return mean(reward.slice(-10)) > mean(reward.slice(0, 10));
}

function findings(): string {
  return `# Results

<!-- Written by \`npm run experiments:results\`; what follows "How many tokens" is closed and stays. -->

All but study 3b is about toys: models of 13 to 396 thousand parameters in [a world of 40 words](tasks.md). Square brackets hold 95 % intervals; a share that was kept has its 90 % interval. Failed predictions come first.

## The second study

**Question.** Models of different sizes learn to think on the same stories and are then paid for right answers, on questions that a shortcut answers nine times in ten. Does size decide whether thinking is kept, can it be predicted, and does the reward show it?

**Rules**, [fixed before the first run](study-2.md); all ${judged.length} runs are made:

${ruleTable()}

**How the runs ended**, by the rule in [algorithms.md](algorithms.md) (12k is small on the page’s ladder, 25k middle, 398k large):

${endingTable()}

![Three sizes over the steps of training](study-2/figures/ladder.svg)

${firstScreen()}

${[h8(), evaluatedAccuracy(), midFlight(), beyondSilence(), arms(), seenBeside()].join('\n\n')}

![Before and after, one pair a start](study-2/figures/before-after.svg)

![In and out of distribution](study-2/figures/worlds.svg)

![Accuracy by order, before and after](study-2/figures/orders.svg)

[study-2/runs.md](study-2/runs.md) has every run.

`;
}

/** The page of all runs of the second study. */
function everyRun(): string {
  return `# Every run of the second study

<!-- Written by \`npm run experiments:results\`. -->

R and W: greedy accuracy where the shortcut is right and wrong; F_W: true, complete thinking on the hard items; length: words of thinking in the test; d: what thinking earns the start over not thinking.

| run | ending | length | R | W | F_W | accuracy, sampled | d |
|---|---|---|---|---|---|---|---|
${judged.map(row).join('\n')}

\`npm run experiments -- --again ${judged[0].line.id}\` makes a run again at its own commit and compares every digit.
`;
}

/** Failures first. */
function ruleTable(): string {
  const rules = [h8Rule(), h8bRule(), h8cRule(), patternRule()];
  const sorted = [...rules.filter(([, , , ending]) => ending !== 'stands'), ...rules.filter(([, , , ending]) => ending === 'stands')]; // prettier-ignore
  return markdownTable(['rule', 'asked', 'found', 'ending'], sorted);
}

/** A row for each ending, a column for each size of base runs and one for the arms. */
function endingTable(): string {
  const columns = [
    ...sizes.map((size) => ofSize(base, size)),
    judged.filter(({ line }) => line.arm !== 'base'),
  ];
  const rows = endings.flatMap((ending) => {
    const counts = columns.map((of) => of.filter(({ verdict }) => verdict.ending === ending).length);
    return counts.every((count) => count === 0) ? [] : [[ending, ...counts.map((count) => count || '')]];
  });
  const head = ['ending', ...sizes.map((size, at) => `${size}, ${columns[at].length} runs`), `arms, ${columns[sizes.length].length}`]; // prettier-ignore
  return markdownTable(head, rows);
}

function isSilent({ verdict }: JudgedRun): boolean {
  return verdict.length.ratio.high <= 0.5;
}

/** C0 of the verdict. */
function hasReasoning({ verdict: { conditions } }: JudgedRun): boolean {
  return hasReasoned(conditions);
}

function keeps({ verdict: { ending } }: JudgedRun): boolean {
  return ending === 'keeps thinking' || ending === 'thinks better';
}

function keeping(of: readonly JudgedRun[]): string {
  return `${of.filter(keeps).length} of ${of.length}`;
}

/** The page's ladder is not a run of the study. */
function firstScreen(): string {
  const of = (size: Size): JudgedRun =>
    ofSize(base, size).find(({ line }) => line.start.seed === LADDER_SEED)!;
  const { hard } = of('398k').line.looks.find(({ step }) => step === 60)!;
  const file = readFileSync('public/recordings/ladder-398k.json', 'utf8');
  const { wrong } = (JSON.parse(file) as { evals: { verdict: Verdict }[] }).evals.at(-1)!.verdict;
  const ended = LADDER.map((size) => `“${of(size).verdict.ending}” (${size})`).join(', ');
  return `The ladder on the page’s first screen is a separate, shorter training of one start of the study (${LADDER_SEED}), with its own schedule: its learning rate decays over 60 steps, not over 150. In the study’s 150 steps this start did not keep thinking: ${ended}. At step 60 of the study’s run its 398k model answers ${hard.correct} of ${hard.count} hard questions, at the end of the page’s recording ${Math.round(wrong!.now * wrong!.count)} of ${wrong!.count}.`;
}

function endingCounts(of: readonly JudgedRun[]): string {
  const counts = endings.flatMap((ending) => {
    const count = of.filter(({ verdict }) => verdict.ending === ending).length;
    return count === 0 ? [] : [`“${ending}” ${count}`];
  });
  return counts.join(', ');
}

type Rule = [rule: string, asked: string, found: string, ending: string];

function h8Rule(): Rule {
  const [small, large] = [ofSize(base, '25k'), ofSize(base, '398k')];
  const finding = sizeRule(small, large);
  const interval = (of: readonly JudgedRun[]): string =>
    bracket(meanInterval(of.flatMap(({ kept }) => kept ?? [])));
  return [
    'H8, size keeps the reasoning',
    'mean K (W after over W before, at most 1) at 398k over that at 25k: by .30, p .025; 7 starts each with reasoning to lose',
    `${interval(large)} and ${interval(small)}: by ${two(finding.large - finding.small)}, one-sided permutation p = ${finding.p.toPrecision(2)}; ${finding.counted[1]} and ${finding.counted[0]} starts`,
    finding.ending,
  ];
}

function h8(): string {
  const [small, large] = [ofSize(base, '25k'), ofSize(base, '398k')];
  return `**H8.** With the starts left out counted against the claim the difference is ${two(sizeRule(small, large).sensitivity)}. ${otherMeaning(small, large)}`;
}

/** The verdict asks more of a start than H8. */
function otherMeaning(small: readonly JudgedRun[], large: readonly JudgedRun[]): string {
  const counts = [small, large].map((of) => of.filter(hasReasoning).length);
  return `“Reasoning to lose” has two meanings. H8 asks for a W surely above .20, as registered. The verdict on a run asks for an F_W of surely .20 as well: by that ${counts[0]} starts at 25k and ${counts[1]} at 398k count, ${Math.min(...counts) < 7 ? 'and H8 would be “not testable”' : 'enough for H8'}. The ending above is that of the registered rule.`;
}

function h8bRule(): Rule {
  const { auc, p } = foretelling(base.map((run) => ({ score: run.d, hit: isSilent(run) })));
  const silent = (size: '12k' | '398k'): number => ofSize(base, size).filter(isSilent).length;
  const holds = auc >= 0.8 && p <= 0.025 && silent('12k') >= 7 && silent('398k') <= 3;
  return [
    'H8b, silence',
    'low d at the start predicts that the length at least halves: AUC .80, p .025; silent at 12k 7 of 10, at 398k at most 3',
    `AUC ${two(auc)}, p = ${p.toPrecision(2)} over ${base.length} runs; ${silent('12k')} of ${ofSize(base, '12k').length} and ${silent('398k')} of ${ofSize(base, '398k').length}`,
    holds ? 'stands' : 'fails',
  ];
}

function aucOf(score: (run: JudgedRun) => number): number {
  return foretelling(
    base.map((run) => ({ score: score(run), hit: isSilent(run) })),
    1,
  ).auc;
}

function sizeOf({ line }: JudgedRun): number {
  return sizes.indexOf(line.start.size);
}

/** Limits of H8b. */
function beyondSilence(): string {
  const { bound } = silence;
  const low = base.filter(({ d }) => d < bound);
  const high = base.filter(({ d }) => d >= bound);
  const { p } = foretelling(
    base.map((run) => ({ score: run.d, hit: isSilent(run), group: run.line.start.size })),
  );
  const fast = ofSize(judged, '398k', 'rate-1.2e-3');
  const ds = fast.filter(isSilent).map(({ d }) => d);
  const reasoning = base.filter(hasReasoning);
  const pay = ({ line }: JudgedRun): number => line.modes.full;
  const byRank = (score: (run: JudgedRun) => number): string =>
    two(
      rankCorrelation(
        reasoning.map(score),
        reasoning.map(({ hard: [before, after] }) => after / before),
      ),
    );
  const [more, others] = [true, false].map((isMore) =>
    reasoning.filter((run) => pay(run) > SHORTCUT_PAY === isMore),
  );
  return `**Meaning and limits of H8b**, seen afterwards. ${low.filter(isSilent).length} of the ${low.length} runs with d below ${bound} fell silent, and ${high.filter(isSilent).length} of the ${high.length} others. Size alone predicts silence with an AUC of ${two(aucOf(sizeOf))}, and W before with ${two(aucOf((run) => run.hard[0]))}. Within a size d adds a little (p = ${two(p)}, d permuted among the starts of a size). A high d does not rule out silence at another rate: at 1.2e-3 ${ds.length} of ${fast.length} runs at 398k fell silent, with a d of ${two(Math.min(...ds))} to ${two(Math.max(...ds))}. A high d does not predict that thinking is kept: over the ${reasoning.length} starts with reasoning to lose (by the verdict’s meaning) its rank correlation with W after / W before is ${byRank((run) => run.d)}, the wrong way. That of what full thinking itself is paid before training is ${byRank(pay)}. Above a pay of ${two(SHORTCUT_PAY)}, what the learned shortcut earns, ${keeping(more)} keep thinking, at or below it ${keeping(others)}.`;
}

function h8cRule(): Rule {
  const rising = LADDER.map((size) => {
    const of = ofSize(base, size);
    const gains = of.map(({ line: { before, after } }) =>
      pairedGain(before.sampled.correct, after.sampled.correct),
    );
    return {
      size,
      count: gains.filter(([, low]) => low > 0).length,
      of: of.length,
      mean: mean(gains.map(([gain]) => gain)),
    };
  });
  const holds = rising.every(({ count }) => count >= 9);
  return [
    'H8c, the reward hides it',
    'sampled accuracy surely rises in 9 of 10 runs at each of three sizes',
    rising
      .map(
        ({ size, count, of, mean: gain }) =>
          `${count} of ${of} at ${size} (by ${(100 * gain).toFixed(1)} points)`,
      )
      .join(', '),
    holds ? 'stands' : 'fails',
  ];
}

/** Greedy accuracy of the benchmark, with its interval. */
function greedy({ line: { before, after } }: JudgedRun): Estimate {
  return pairedGain(before.benchmark.correct, after.benchmark.correct);
}

function withPattern(): JudgedRun[] {
  return base.filter((run) => {
    const { wrongHalved, faithfulHalved } = run.verdict.conditions;
    return hasReasoning(run) && wrongHalved && faithfulHalved && greedy(run)[1] > 0;
  });
}

function patternRule(): Rule {
  return [
    'the papers’ pattern (not registered)',
    'greedy accuracy surely rises, and existing reasoning is lost',
    `${withPattern().length} of ${base.length} base runs`,
    'seldom',
  ];
}

/** H8c is about sampled answers; the papers report evaluated ones. */
function evaluatedAccuracy(): string {
  const means = sizes.map((size) => {
    const gain = 100 * mean(ofSize(base, size).map((run) => greedy(run)[0]));
    return `${gain < 0 ? '−' : '+'}${Math.abs(gain).toFixed(1)} points at ${size}`;
  });
  const pattern = withPattern();
  const small = ofSize(base, '12k').filter(hasReasoning).length;
  return `**The papers’ pattern shows in ${pattern.length} of ${base.length} base runs** (${pattern.map(({ line }) => line.id).join(', ')}): greedy accuracy surely rises, and existing reasoning is lost. H8c holds for sampled accuracy only. Greedy accuracy changes by ${means.join(', ')} on average. At 12k, where it rises most, ${small === 0 ? 'no start' : `${small} starts`} had reasoning to lose by the verdict’s meaning.`;
}

/** Recovery of W before the last step. */
function midFlight(): string {
  const recovering = (size: Size, last: (run: JudgedRun) => number): string => {
    const of = ofSize(base, size);
    const isHigher = (run: JudgedRun): boolean => {
      const lowest = Math.min(...run.line.looks.map(({ hard }) => hard.correct / hard.count));
      return last(run) - lowest > RECOVERED * run.hard[0];
    };
    return `${of.filter(isHigher).length} of ${of.length}`;
  };
  const all = ({ hard: [, after] }: JudgedRun): number => after;
  const ofLook = ({ line: { looks, after } }: JudgedRun): number =>
    fractionOf(after.hard.correct.slice(0, looks[0].hard.count), '1');
  return `**Step 150 is mid-flight.** W falls and partly comes back: from its lowest look to step 150 it recovers by more than ${two(RECOVERED)} of its start in ${recovering('398k', all)} runs at 398k (${recovering('398k', ofLook)} on the 200 questions of the looks alone), ${recovering('100k', all)} at 100k, ${recovering('25k', all)} at 25k and ${recovering('12k', all)} at 12k. The endings above are those of step 150; longer runs may end otherwise.`;
}

/** Not registered: whether the ability of a start predicts more than its size. */
function seenBeside(): string {
  const counted = base.filter(({ kept }) => kept !== null);
  const { auc, p } = foretelling(counted.map((run) => ({ score: -run.hard[0], hit: keeps(run) })));
  const [best, others] = [true, false].map((isBest) =>
    counted.filter(({ hard: [before] }) => before >= NEARLY_ALL === isBest),
  );
  return `**Seen in addition, not registered**: at every size the best of the ${counted.length} starts with reasoning to lose (by H8’s meaning) keep it. W before predicts "keeps thinking" with an AUC of ${two(auc)}, p = ${p.toPrecision(2)}. Of those with W of ${two(NEARLY_ALL)} or more (a bound chosen after looking) ${keeping(best)} keep thinking, of the others ${keeping(others)}. These runs cannot say why; another study could.`;
}

function arms(): string {
  const rows = [...new Set(judged.map(({ line }) => line.arm))]
    .filter((arm) => arm !== 'base')
    .flatMap((arm) =>
      sizes.flatMap((size) => {
        const made = ofSize(judged, size, arm);
        if (made.length === 0) return [];
        return [
          `| ${arm} | ${size} | ${made.length} | ${keptWords(made)} | ${keptWords(sameStarts(made, size))} | ${endingCounts(made)} |`,
        ];
      }),
    );
  return `**Arms** (described, not tested), with the base runs of the same starts:

| arm | size | runs | mean K | mean K of the base runs | endings |
|---|---|---|---|---|---|
${rows.join('\n')}

${rateOrSize()}`;
}

function keptWords(of: readonly JudgedRun[]): string {
  const kept = of.flatMap((run) => run.kept ?? []);
  return kept.length === 0 ? 'none counted' : two(mean(kept));
}

/** The base runs of this size from the seeds of these runs. */
function sameStarts(of: readonly JudgedRun[], size: JudgedRun['line']['start']['size']): JudgedRun[] {
  return ofSize(base, size).filter(({ line }) => of.some((run) => run.line.start.seed === line.start.seed));
}

/** The one sentence that was registered of the arms. */
function rateOrSize(): string {
  const slower = ofSize(judged, '25k', 'rate-4e-4');
  const [small, large] = [slower, sameStarts(slower, '398k')].map((of) =>
    mean(of.flatMap((run) => run.kept ?? [])),
  );
  return `At the rate of 398k mean K of 25k is ${two(small / large)} of what 398k has on the same starts (registered: from .75 on a conclusion of H8 would read "rate or size"). ${small / large >= 0.75 ? 'It is at least that: where the sizes differ, rate or size may be why.' : 'It is less.'}`;
}

/** With the share of the correct reasoning that was kept. */
function endingWithShare({ ending, faithfulWrong }: Verdict): string {
  if (ending !== 'keeps thinking' || faithfulWrong === null) return ending;
  const { value, low, high } = faithfulWrong.ratio;
  return `${ending} (${bracket([value, low, high])})`;
}

function row({ line, verdict, hard, d }: JudgedRun): string {
  const { length, right } = verdict;
  const fw = [line.before, line.after].map(({ hard }) => fractionOf(hard.trace, 'f'));
  const sampled = [line.before, line.after].map(({ sampled: { correct } }) => fractionOf(correct, '1'));
  return `| ${line.id} | ${endingWithShare(verdict)} | ${length.before.toFixed(1)} → ${length.now.toFixed(1)} | ${right === null ? '' : change([right.before, right.now])} | ${change(hard)} | ${change(fw)} | ${change(sampled)} | ${two(d)} |`;
}
