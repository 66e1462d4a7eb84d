import { describe, expect, it } from 'vitest';
import { newAlertState, watchEvaluation } from '../../src/rl/alerts';
import { detectCollapse, forecastCollapse, isEarlyWarning, reasonsBetter } from '../../src/rl/collapse';
import { whole } from '../../src/rl/progress';
import { openItems } from '../../src/rl/data';
import { evaluate } from '../../src/rl/evaluate';
import type { EvalReport } from '../../src/rl/events';
import { wilson } from '../../src/reward/accuracy';
import { createTablePolicy, tableTokenizer } from './table-policy';
import { smallConfig, warmTable } from './runs';

const report = (changes: Partial<EvalReport>): EvalReport => ({
  step: 0,
  overall: wilson(50, 100),
  byOrder: {},
  heldOut: {},
  shortcutRight: wilson(40, 75),
  shortcutWrong: wilson(10, 25),
  shortcutLine: 0.75,
  formatRate: 1,
  meanLength: 26,
  meanThinkLength: 20,
  emptyThinkFraction: 0.1,
  traceValidity: 0.6,
  traceCoverage: 0.5,
  rightAnswerWrongTrace: 0.3,
  closeThinkProbability: 0.1,
  samples: [],
  ...changes,
});
const start = report({});

describe('the collapse detector', () => {
  it('fires when the trace is halved in length and in truth at no loss of accuracy', () => {
    const now = report({ step: 150, meanThinkLength: 3, traceValidity: 0.1, overall: wilson(75, 100) });
    expect(detectCollapse(start, now)).toEqual({
      step: 150,
      lengthRatio: 0.15,
      accuracyChange: 0.25,
      validityRatio: 0.1 / 0.6,
      conditions: { shorter: true, notLessAccurate: true, lessValid: true },
      collapsed: true,
    });
  });

  it.each([
    ['got shorter with true traces', { meanThinkLength: 8, traceValidity: 0.9 }],
    ['lost its accuracy as well', { meanThinkLength: 3, traceValidity: 0.1, overall: wilson(49, 100) }],
    ['keeps long traces that have become false', { meanThinkLength: 21, traceValidity: 0.1 }],
    ['shrank to just over half', { meanThinkLength: 10.1, traceValidity: 0.1 }],
  ])('does not fire on a run that %s', (_, changes) => {
    expect(detectCollapse(start, report(changes)).collapsed).toBe(false);
  });

  it('does not fire where there was no reasoning to lose', () => {
    const empty = report({ meanThinkLength: 0, traceValidity: 0 });
    expect(detectCollapse(empty, empty).collapsed).toBe(false);
  });

  it('tells a run that reasons better from one that only answers better', () => {
    const better = { overall: wilson(80, 100), shortcutWrong: wilson(20, 25), traceValidity: 0.8 };
    expect(reasonsBetter(start, report(better))).toBe(true);
    expect(reasonsBetter(start, report({ ...better, traceValidity: 0.5 }))).toBe(false);
    expect(reasonsBetter(start, report({ ...better, shortcutWrong: wilson(5, 25) }))).toBe(false);
    expect(reasonsBetter(start, report({ ...better, overall: wilson(58, 100) }))).toBe(false);
    expect(reasonsBetter(report({ traceValidity: 0 }), report({ ...better, traceValidity: 0 }))).toBe(false);
  });

  it('warns early when the think block closes at once', () => {
    expect(isEarlyWarning(start, report({ closeThinkProbability: 0.3 }))).toBe(true);
    expect(isEarlyWarning(start, report({ closeThinkProbability: 0.2 }))).toBe(false);
    const direct = report({ closeThinkProbability: 0.4 });
    expect(isEarlyWarning(direct, report({ closeThinkProbability: 0.7 }))).toBe(false);
  });
});

describe('alerts on evaluations', () => {
  const codesOf = (now: EvalReport): string[] =>
    watchEvaluation(start, now, detectCollapse(start, now), newAlertState()).alerts.map(({ code }) => code);

  it('name the early warning, and then the collapse in its stead', () => {
    expect(codesOf(report({ closeThinkProbability: 0.6 }))).toEqual(['rl/early-warning']);
    const gone = { closeThinkProbability: 0.9, meanThinkLength: 0, traceValidity: 0 };
    expect(codesOf(report(gone))).toEqual(['rl/collapse']);
  });

  it('do not warn early of what has already happened', () => {
    const late = {
      closeThinkProbability: 0.9,
      meanThinkLength: 0,
      traceValidity: 0,
      overall: wilson(49, 100),
    };
    expect(codesOf(report(late))).toEqual([]);
  });

  it('are silent on a run that only got shorter with true traces, and on one that got better', () => {
    expect(codesOf(report({ meanThinkLength: 8, traceValidity: 0.9 }))).toEqual([]);
    expect(codesOf(report({ meanThinkLength: 22, traceValidity: 0.95, overall: wilson(95, 100) }))).toEqual(
      [],
    );
  });

  it('come once while a collapsed run hovers around a threshold', () => {
    const collapsed = report({ meanThinkLength: 8, traceValidity: 0.1 });
    const lessAccurate = report({ ...collapsed, overall: wilson(45, 100) });
    const longer = report({ ...collapsed, meanThinkLength: 11 });
    let state = newAlertState();
    const raised = [collapsed, lessAccurate, collapsed, longer, collapsed, start, collapsed].map((now) => {
      const watched = watchEvaluation(start, now, detectCollapse(start, now), state);
      state = watched.state;
      return watched.alerts.length;
    });
    expect(raised).toEqual([1, 0, 0, 0, 0, 0, 1]);
  });

  it('come once, until the rule has ceased to hold', () => {
    const now = report({ meanThinkLength: 0, traceValidity: 0 });
    const collapse = detectCollapse(start, now);
    const first = watchEvaluation(start, now, collapse, newAlertState());
    const second = watchEvaluation(start, now, collapse, first.state);
    const recovered = watchEvaluation(start, start, detectCollapse(start, start), second.state);
    const again = watchEvaluation(start, now, collapse, recovered.state);
    expect([first, second, recovered, again].map(({ alerts }) => alerts.length)).toEqual([1, 0, 0, 1]);
  });
});

describe('the forecast', () => {
  it('compares an empty think block with a full trace that the policy writes itself', async () => {
    const { suite } = openItems(smallConfig());
    const forced: string[] = [];
    const policy = await warmTable();
    const watched: typeof policy = {
      ...policy,
      generate: (prompts, options) => {
        forced.push(...prompts.map((ids) => tableTokenizer.decode(ids.slice(-1))));
        return policy.generate(prompts, options);
      },
    };
    const forecast = await whole(forecastCollapse(watched, suite));
    expect(new Set(forced.slice(0, 12))).toEqual(new Set(['</think>']));
    expect(new Set(forced.slice(12))).toEqual(new Set(['start']));
    expect(forecast?.emptyThink.count).toBe(12);
    expect(forecast?.collapseExpected).toBe(forecast!.emptyThink.accuracy >= forecast!.fullTrace.accuracy);
  });

  it('is not made for items without gold traces', async () => {
    const { suite } = openItems(smallConfig());
    const bare = { ...suite, items: suite.items.map((item) => ({ ...item, traces: undefined })) };
    expect(await whole(forecastCollapse(await warmTable(), bare))).toBe(null);
  });
});

describe('an evaluation', () => {
  it('is the same twice', async () => {
    const { suite } = openItems(smallConfig());
    const policy = await warmTable();
    expect(await evaluate(policy, suite)).toEqual(await evaluate(policy, suite));
  });

  it('counts the training orders, and holds the other order and returns apart', async () => {
    const { suite } = openItems(smallConfig({ evaluation: { every: 1, items: 40, seed: 7, patience: 0 } }));
    const { overall, byOrder, heldOut, shortcutRight, shortcutWrong, shortcutLine } = await evaluate(
      await warmTable(),
      suite,
    );
    expect(overall.count).toBe(40);
    expect(Object.keys(byOrder)).toEqual(['0', '1', '2', '3', '4']);
    expect([0, 1, 2, 3].reduce((sum, order) => sum + byOrder[String(order)].count, 0)).toBe(40);
    expect(Object.keys(heldOut)).toEqual(['order 4', 're-entry']);
    expect(heldOut['order 4']).toEqual(byOrder['4']);
    expect(heldOut['order 4'].count).toBe(10);
    // Questions after reality have no shortcut.
    const beliefs = 40 - byOrder[0].count;
    expect(beliefs).toBeLessThan(40);
    expect(shortcutRight.count + shortcutWrong.count).toBe(beliefs);
    expect(shortcutLine).toBe(shortcutRight.count / beliefs);
  });

  it.each([
    ['tomi', [0, 1], ['order 2']],
    ['hitom', [1, 2, 3], ['order 0', 'order 4']],
    ['nano', [1], ['order 0', 'order 2', 'order 3', 'order 4', 're-entry']],
  ])('of %s holds out what training on orders %j does not see', (source, orders, names) => {
    const { suite } = openItems(smallConfig({ data: { ...smallConfig().data, source, orders } }));
    expect(Object.keys(suite.heldOut)).toEqual(names);
  });

  it('judges all arms by the same items, de-biased or not', () => {
    const { data } = smallConfig();
    const plain = openItems(smallConfig());
    const debiased = openItems(smallConfig({ data: { ...data, dropShortcutRight: 0.75 } }));
    expect([debiased.suite.items, debiased.suite.heldOut]).toEqual([plain.suite.items, plain.suite.heldOut]);
    expect(debiased.training(0, 20)).not.toEqual(plain.training(0, 20));
  });

  it('reads the probability that the think block closes at once', async () => {
    const { suite } = openItems(smallConfig());
    const untrained = await evaluate(createTablePolicy(), suite);
    expect(untrained.closeThinkProbability).toBeCloseTo(1 / tableTokenizer.vocabularySize, 6);
  });
});

describe('Wilson’s interval', () => {
  it('agrees with published values', () => {
    // 9 of 10: 0.5958 to 0.9821 (Agresti and Coull 1998's formula, by hand).
    expect(wilson(9, 10).low).toBeCloseTo(0.5958, 4);
    expect(wilson(9, 10).high).toBeCloseTo(0.9821, 4);
  });

  it('has a width at 0 and at 1', () => {
    expect(wilson(0, 20)).toMatchObject({ accuracy: 0, low: 0 });
    expect(wilson(0, 20).high).toBeGreaterThan(0.1);
    expect(wilson(20, 20).low).toBeLessThan(0.9);
  });
});
