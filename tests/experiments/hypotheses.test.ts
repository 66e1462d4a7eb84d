import { describe, expect, it } from 'vitest';
import {
  defaultStart,
  demonstration,
  rankedStarts,
} from '../../scripts/experiments/hypotheses/demonstration';
import { settle, type Finding } from '../../scripts/experiments/hypotheses/finding';
import { forecastOf, forecastReport } from '../../scripts/experiments/hypotheses/forecast';
import { mediation } from '../../scripts/experiments/hypotheses/mediation';
import { firstHalved, prevention } from '../../scripts/experiments/hypotheses/prevention';
import { publishedBenchmark } from '../../scripts/experiments/hypotheses/published';
import { shortcutEffect } from '../../scripts/experiments/hypotheses/shortcut';
import { sizeEffect } from '../../scripts/experiments/hypotheses/size';
import { transfer } from '../../scripts/experiments/hypotheses/transfer';
import type { RunLine } from '../../scripts/experiments/lines';
import { runs, type RunPlan } from '../../scripts/experiments/plan';
import { createStudy, type Study } from '../../scripts/experiments/study';
import { collapsed, decorated, lineOf, mute, reasoner, type Behaviour, type Course } from './made-up';

const DRAWS = 200;

/** The runs of a hypothesis, each taking the course that is given for it; null leaves it out. */
function studyOf(
  hypothesis: string,
  course: (plan: RunPlan) => Course | null,
  dropped: readonly string[] = [],
): Study {
  return createStudy(runs, linesOf(hypothesis, course), { draws: DRAWS, dropped });
}

function linesOf(hypothesis: string, course: (plan: RunPlan) => Course | null): RunLine[] {
  return runs
    .filter(({ hypotheses }) => hypotheses.includes(hypothesis))
    .flatMap((plan) => {
      const taken = course(plan);
      return taken === null ? [] : [lineOf(plan, taken)];
    });
}

const keeps: Course = { after: reasoner };
const loses: Course = { after: collapsed };

describe('H1', () => {
  it('holds where all runs take the shortcut and fall silent', () => {
    const found = demonstration(studyOf('H1', () => loses));
    expect(found).toMatchObject({ adopted: 12, shortened: 12, holds: true, p: 0 });
    expect(found.gain!.low).toBeGreaterThan(0.3);
  });

  it('allows two runs that keep their length, and no more', () => {
    const course =
      (stay: number) =>
      ({ start }: RunPlan): Course => ({ after: start.seed <= stay ? decorated : collapsed });
    expect(demonstration(studyOf('H1', course(1)))).toMatchObject({ shortened: 10, holds: true });
    expect(demonstration(studyOf('H1', course(2)))).toMatchObject({
      adopted: 12,
      shortened: 8,
      holds: false,
    });
  });

  it('falls with two runs that do not take the shortcut, and has no p below .05 where none does', () => {
    expect(demonstration(studyOf('H1', ({ start }) => (start.seed === 1 ? keeps : loses)))).toMatchObject({
      adopted: 10,
      holds: false,
    });
    const none = demonstration(studyOf('H1', () => keeps));
    expect(none).toMatchObject({ adopted: 0, holds: false, p: 1 });
  });

  it('asks for the loss of what the shortcut gets wrong', () => {
    const better = { ...collapsed, wrong: 0.4 };
    expect(demonstration(studyOf('H1', () => ({ after: better })))).toMatchObject({
      adopted: 0,
      holds: false,
    });
  });

  it('is not decided while a run is missing', () => {
    const found = demonstration(studyOf('H1', (plan) => (plan.config.seed === 602 ? null : loses)));
    expect(found).toMatchObject({ holds: null, p: null, progress: { made: 11, planned: 12 } });
  });

  it('ranks the six starts by their mean gain, and only when all runs are there', () => {
    const course = ({ start }: RunPlan): Course => ({
      after: { ...collapsed, right: 0.6 + 0.06 * start.seed },
    });
    expect(rankedStarts(studyOf('H1', course))!.map(({ id }) => id.slice(-2))).toEqual([
      's6',
      's5',
      's4',
      's3',
      's2',
      's1',
    ]);
    expect(rankedStarts(studyOf('H1', (plan) => (plan.start.seed === 2 ? null : loses)))).toBeNull();
  });
});

describe('H1b', () => {
  it('asks besides that two in three of the runs with reasoning to lose have lost it', () => {
    const found = demonstration(
      studyOf('H1b', () => loses),
      'H1b',
    );
    expect(found).toMatchObject({ reasoned: 12, losing: 12, holds: true });
    // Starts without reasoning to lose are left out, and where no start has any the claim falls.
    const little = { ...reasoner, faithful: 0.15 };
    const without = demonstration(
      studyOf('H1b', () => ({ before: little, after: collapsed })),
      'H1b',
    );
    expect(without).toMatchObject({ adopted: 12, shortened: 12, reasoned: 0, holds: false });
  });

  it('gives the default preset its third start where five of its starts reason, and else leaves it to H1', () => {
    const lines = (reasoning: number) => [
      ...linesOf('H1', () => loses),
      ...linesOf('H1b', ({ start }) =>
        start.seed <= 10 + reasoning ? loses : { before: mute, after: collapsed },
      ),
    ];
    const chosen = (reasoning: number) => defaultStart(createStudy(runs, lines(reasoning), { draws: DRAWS }));
    expect(chosen(5)).toMatchObject({ from: 'H1b', reasoningStarts: 5 });
    expect(chosen(4)).toMatchObject({ from: 'H1', reasoningStarts: 4 });
    expect(defaultStart(studyOf('H1', () => loses))).toMatchObject({ from: 'H1', reasoningStarts: null });
  });
});

describe('H2', () => {
  it('holds where the small lose and the large keep their reasoning', () => {
    const found = sizeEffect(studyOf('H2', ({ start }) => (start.size === '25k' ? loses : keeps)));
    expect(found).toMatchObject({ difference: { value: 1, low: 1, high: 1 }, holds: true, p: 0 });
  });

  it('finds no effect where all lose it', () => {
    expect(sizeEffect(studyOf('H2', () => loses))).toMatchObject({
      difference: { value: 0 },
      holds: false,
      p: 1,
    });
  });

  it('leaves starts without reasoning out, and counts them', () => {
    const study = studyOf('H2', ({ start }) =>
      start.size === '25k' && start.seed > 2
        ? { before: mute, after: collapsed }
        : start.size === '25k'
          ? loses
          : keeps,
    );
    const [small] = sizeEffect(study).groups;
    expect(small.runs).toHaveLength(12);
    expect(small.reasoned).toHaveLength(4);
    expect(small.fraction!.value).toBe(1);
  });

  it('is decided without the runs that were dropped', () => {
    const isLast = ({ start }: RunPlan): boolean => start.id === '398k-600-s3';
    const course = (plan: RunPlan): Course | null =>
      isLast(plan) ? null : plan.start.size === '25k' ? loses : keeps;
    const dropped = runs.filter(isLast).map(({ id }) => id);
    expect(sizeEffect(studyOf('H2', course)).holds).toBeNull();
    expect(sizeEffect(studyOf('H2', course, dropped)).holds).toBe(true);
  });
});

describe('H3', () => {
  it('finds nothing in size where d decides', () => {
    const found = mediation(
      studyOf('H2', ({ start }) =>
        (start.seed + (start.size === '25k' ? 0 : 1)) % 2 === 0
          ? { ...loses, gap: -1 + start.seed / 20 }
          : { ...keeps, gap: 1 + start.seed / 20 },
      ),
    );
    expect(found.loss!.reward).toBeLessThan(0.2);
    expect(found.holds).toBe(true);
  });

  it('finds size where it decides and d says nothing', () => {
    const found = mediation(
      studyOf('H2', ({ start }) => ({
        ...(start.size === '25k' ? loses : keeps),
        gap: start.seed % 2,
      })),
    );
    expect(found.gain!.low).toBeGreaterThan(0);
    expect(found.holds).toBe(false);
  });
});

describe('H4', () => {
  const weak = ({ id }: RunPlan): boolean => id.includes('/S.');

  it('holds where the weaker shortcuts spare the reasoning', () => {
    const found = shortcutEffect(studyOf('H4', (plan) => (weak(plan) ? keeps : loses)));
    expect(found).toMatchObject({
      differences: { '.70': 1, '.56': 1 },
      pooled: { value: 1 },
      holds: true,
      p: 0,
      progress: { made: 18, planned: 18 },
    });
  });

  it('needs both differences', () => {
    const found = shortcutEffect(studyOf('H4', ({ id }) => (id.includes('/S.56') ? keeps : loses)));
    expect(found).toMatchObject({ differences: { '.70': 0, '.56': 1 }, holds: false });
    expect(found.pooled!.low).toBeGreaterThan(0);
  });
});

describe('H5', () => {
  const isUsual = ({ id }: RunPlan): boolean => /^25k-600-s\d\/base/.test(id);
  const course = (plan: RunPlan): Course => {
    if (plan.id.includes('length-penalty')) return { ...loses, halvedAt: 20 };
    return plan.id.includes('debiased') ? keeps : { ...loses, halvedAt: 60 };
  };

  it('holds where the de-biased arm keeps F and the penalty shortens sooner', () => {
    const found = prevention(studyOf('H5', course));
    expect(found).toMatchObject({ holds: true, p: 0, shortening: { starts: 4 } });
    expect(found.arms.filter(({ prevents }) => prevents).map(({ name }) => name)).toEqual([
      'de-biased benchmark',
    ]);
    expect(found.arms.map(({ runs: made }) => made.length)).toEqual([4, 4, 4, 4, 4, 4, 4, 4]);
    expect(found.shortening!.penalty).toBeLessThan(found.shortening!.base);
  });

  it('falls where the penalty shortens no sooner', () => {
    const same = (plan: RunPlan): Course => ({ ...course(plan), halvedAt: 60 });
    expect(prevention(studyOf('H5', same)).holds).toBe(false);
  });

  it('reads an arm before the others are there', () => {
    const found = prevention(studyOf('H5', (plan) => (isUsual(plan) ? loses : null)));
    expect(found.base).toMatchObject({ prevents: false, progress: { made: 4, planned: 4 } });
    expect(found).toMatchObject({ holds: null, p: null, shortening: null });
  });

  it('takes the first step at which ten lengths have half the mean of the first five', () => {
    const lengths = [...new Array<number>(20).fill(10), ...new Array<number>(30).fill(0)];
    // Five of the ten are 10, five are 0, after step 25.
    expect(firstHalved(lengths)).toBe(25);
    expect(firstHalved(new Array<number>(50).fill(10))).toBeNull();
  });
});

describe('H6', () => {
  it('holds where training on order 1 costs order 3', () => {
    const found = transfer(
      studyOf('H6', ({ id }) =>
        id.includes('order-1') ? { after: reasoner, orders: { 1: 0.3, 3: -0.2 } } : keeps,
      ),
    );
    expect(found).toMatchObject({ lowersThree: true, lowersOne: false, holds: true, p: 0 });
    expect(found.progress).toMatchObject({ made: 12, planned: 12 });
  });

  it('does not hold where nothing changes, and sees a curve that rises with the order', () => {
    const found = transfer(
      studyOf('H6', ({ id }) =>
        id.includes('/base/') ? { after: reasoner, orders: { 2: 0.15, 3: 0.3, 4: 0.45 } } : keeps,
      ),
    );
    expect(found).toMatchObject({ lowersThree: false, holds: false, inverted: true });
    expect(transfer(studyOf('H6', () => keeps)).inverted).toBe(false);
  });
});

describe('H7', () => {
  const lines = (after: Behaviour): RunLine[] => [0, 1].map((place) => lineOf(runs[place], { after }));

  it('repeats the pattern where accuracy rises and length falls below half', () => {
    const { repeats, rows, lengthRatio } = publishedBenchmark(lines(collapsed), DRAWS);
    expect(repeats).toBe(true);
    expect(lengthRatio).toBeCloseTo(0.1);
    expect(rows.map(({ name, items }) => [name, items])).toEqual([
      ['0 to 3', 1200],
      ['1', 400],
      ['2', 400],
      ['3', 400],
    ]);
    expect(rows[0].change.value).toBeCloseTo(0.39, 1);
    expect(rows[0].shortcut).toBeCloseTo(0.9);
  });

  it('does not where the trace keeps its length, nor where nothing rises', () => {
    expect(publishedBenchmark(lines(decorated), DRAWS).repeats).toBe(false);
    expect(publishedBenchmark(lines({ ...reasoner, tokens: 2 }), DRAWS).repeats).toBe(false);
  });

  it('is open until both runs are made, and refuses runs of other items', () => {
    expect(publishedBenchmark(lines(collapsed).slice(1), DRAWS).repeats).toBeNull();
    const [first, second] = lines(collapsed);
    const { greedy } = second.before;
    const other = {
      ...second,
      before: { ...second.before, greedy: { ...greedy, order: greedy.order.replaceAll('3', '0') } },
    };
    expect(() => publishedBenchmark([first, other], DRAWS)).toThrow('other published items');
  });
});

describe('the forecast', () => {
  it('has the frozen coefficients', () => {
    expect(forecastOf(0)).toBeCloseTo(1 / (1 + Math.exp(-1.512)), 12);
    expect(forecastOf(2)).toBeCloseTo(1 / (1 + Math.exp(-1.512 + 2.162)), 12);
  });

  it('is skilled where d orders the endings, and leaves out what has no reward or no reasoning', () => {
    const study = studyOf('H5', ({ id, start }) =>
      start.seed === 4
        ? { before: mute, after: collapsed }
        : id.includes('debiased')
          ? { ...keeps, gap: 4 }
          : { ...loses, gap: -1 },
    );
    const { score, runs: judged, withoutReasoning, bins } = forecastReport(study);
    expect(score!.auc.value).toBe(1);
    expect(score!.skill.value).toBeGreaterThan(0.5);
    expect(judged.every(({ plan }) => !/faithful|no-think|sft/.test(plan.id))).toBe(true);
    expect(withoutReasoning).toBeGreaterThan(0);
    expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(judged.length);
  });
});

describe('the correction over hypotheses', () => {
  it('takes a claim whose rule holds but whose p does not survive', () => {
    const finding = (holds: boolean | null, p: number | null): Finding => ({
      progress: { made: 1, planned: 1, dropped: 0, complete: true },
      holds,
      p,
    });
    const settled = settle({
      H1: finding(true, 0.001),
      H1b: finding(true, 0.001),
      H2: finding(true, 0.02),
      H4: finding(false, 0.5),
      H5: finding(null, null),
      H6: finding(true, 0.012),
    });
    expect(settled.H1).toEqual({ state: 'stands', adjusted: 0.006 });
    expect(settled.H6).toEqual({ state: 'stands', adjusted: 0.048 });
    expect(settled.H2).toEqual({ state: 'does not stand', adjusted: 0.06 });
    expect(settled.H4.state).toBe('does not stand');
    expect(settled.H5).toEqual({ state: 'not decided', adjusted: null });
  });
});
