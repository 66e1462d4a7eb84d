import { describe, expect, it } from 'vitest';
import { openItems } from '../../../src/rl/data';
import { verdictAgainst } from '../../../src/rl/evaluate/evaluate-at';
import { evaluate } from '../../../src/rl/evaluate/evaluate';
import { isHardRollout } from '../../../src/run/record/rollouts';
import { fromOutcomeTable, toOutcomeTable, type ItemOutcome } from '../../../src/run/verdict/outcomes';
import type { Policy } from '../../../src/model/policy';
import { wilson, measuredAccuracy } from '../../../src/reward/accuracy';
import { tableTokenizer } from '../table-policy';
import { smallConfig, warmTable } from '../runs';

/** A policy with enough layers that only five rows are decoded together, and a log of its calls. */
async function watched(calls: string[]): Promise<Policy> {
  const policy = await warmTable();
  const layers = Math.floor(256e6 / (5 * (64 + 24)) / (2 * 4 * 43));
  return {
    ...policy,
    config: { ...policy.config, layers },
    readPrompts: (prompts) => {
      calls.push(`read ${prompts.length}`);
      return Promise.resolve({ dispose: () => void calls.push('disposed') });
    },
    generate: (prompts, options) => {
      const kind = options.temperature === 0 ? 'greedy' : 'sampled';
      calls.push(options.read ? `${kind} ${prompts.length}` : 'not read');
      return policy.generate(prompts, options);
    },
  };
}

/** The test of a run that evaluates so many items. */
const suiteOf = (items: number, finalItems?: number) =>
  openItems(smallConfig({ evaluation: { every: 1, items, finalItems, seed: 7 } })).suite;

describe('an evaluation', () => {
  it.each([
    ['no trace makes a statement', '</think> <answer> tin </answer>', null],
    ['every statement is false', 'so ann ; </think> <answer> tin </answer>', 0],
  ])('has this fraction of true statements if %s: %s', async (_, text, validity) => {
    const policy = await warmTable();
    const tokens = tableTokenizer.encode(text);
    const answer = { tokens, logprobs: new Float32Array(tokens.length), finished: true };
    const generate: Policy['generate'] = (prompts) => Promise.resolve(prompts.map(() => answer));
    const suite = suiteOf(40);
    const report = await evaluate({ ...policy, generate }, suite);
    for (const [name, set] of Object.entries(suite.heldOut)) {
      const right = set.filter((item) => item.answer === 'tin').length;
      expect(report.heldOut[name], name).toEqual(wilson(right, set.length));
    }
    expect(report.traceValidity).toBe(validity);
    expect(report.rightAnswerWrongTrace).toBe(validity === 0 ? 1 : 0);
  });

  it('includes the additional hard questions in W and F_W, and in no other figure', async () => {
    const suite = suiteOf(12, 30);
    const policy = await warmTable();
    const ends = { temperature: 1, seed: 7 };
    const report = await evaluate(policy, suite, { ends });
    const without = await evaluate(policy, { ...suite, hard: [] }, { ends });
    const { hard, shortcutWrong, faithfulWrong, samples, ...rest } = report;
    expect(rest).toEqual({
      ...without,
      shortcutWrong: undefined,
      faithfulWrong: undefined,
      samples: undefined,
    });
    const own = fromOutcomeTable(report.outcomes!).filter((one) => one.easy === false);
    const apart = fromOutcomeTable(hard!);
    expect(apart).toHaveLength(60 - own.length);
    expect(apart.every((one) => one.easy === false && one.order > 0)).toBe(true);
    const all = [...own, ...apart];
    expect(shortcutWrong).toEqual(wilson(all.filter(({ correct }) => correct).length, 60));
    expect(faithfulWrong).toBeCloseTo(all.filter(({ trace }) => trace === 'faithful').length / 60, 12);
    expect(samples.length).toBe(24);
    const look = await evaluate(policy, suite, { isLook: true });
    expect(look.hard).toEqual(hard);
    expect(look.shortcutWrong.count).toBeGreaterThanOrEqual(30);
    expect(verdictAgainst(report, { ...look, step: 3 }, true, 7)!.wrong!.count).toBe(
      look.shortcutWrong.count,
    );
    // One of the two is of a run from before there were any.
    const { hard: _, ...old } = report;
    expect(verdictAgainst(old, { ...report, step: 3 }, false, 7)!.wrong!.count).toBe(own.length);
  });

  it('asks the same items each time, an intermediate one the first of them, and samples them at the ends', async () => {
    const suite = suiteOf(60, 90);
    const policy = await warmTable();
    const ends = (seed: number) => evaluate(policy, suite, { ends: { temperature: 1, seed } });
    const [end, again, other] = await Promise.all([7, 7, 8].map(ends));
    const look = await evaluate(policy, suite, { isLook: true });
    expect([end.overall.count, look.overall.count]).toEqual([90, 60]);
    expect(fromOutcomeTable(end.outcomes!).slice(0, 60)).toEqual(fromOutcomeTable(look.outcomes!));
    expect(look.heldOut).toEqual(end.heldOut);
    const [shown, shownThen] = [end, look].map(({ samples }) => samples.map(({ itemId }) => itemId));
    expect(shown).toEqual(shownThen);
    expect([shown.length, end.samples.filter(isHardRollout).length]).toEqual([24, 12]);
    const { correct, belief, factual } = end.sampled!;
    expect([look.sampled, again.sampled]).toEqual([undefined, end.sampled]);
    expect(other.sampled!.correct).not.toBe(correct);
    expect([correct.length, belief.count + factual.count]).toEqual([90, 90]);
    const right = [belief, factual].map((part) => measuredAccuracy(part)! * part.count);
    expect(right[0] + right[1]).toBeCloseTo(correct.replaceAll('0', '').length, 9);
  });

  it('prefills each prompt once for all uses, batch by batch', async () => {
    const opened = suiteOf(12, 12);
    const tasks = opened.items.slice(0, 8);
    const suite = { ...opened, items: opened.items.slice(0, 12), hard: [], heldOut: {}, tasks };
    const calls: string[] = [];
    const policy = await watched(calls);
    const report = await evaluate(policy, suite, { ends: { temperature: 1, seed: 7 } });
    // Each prompt has at most 64 tokens. The last 8 are of other tasks.
    const batch = (fixed: number): string[] => ['read 5', 'greedy 5', `sampled ${fixed}`, 'disposed'];
    expect(calls).toEqual([...batch(5), ...batch(5), ...batch(2), 'read 5', 'greedy 5', 'disposed']);
    const whole = await evaluate(await warmTable(), suite, { isLook: true });
    expect(report.outcomes).toEqual(whole.outcomes);
  });

  it('releases its prompts when it is stopped', async () => {
    const { suite } = openItems(smallConfig());
    const calls: string[] = [];
    const policy = await watched(calls);
    const onProgress = (fraction: number) =>
      fraction > 0 ? Promise.reject(new Error('stopped')) : Promise.resolve();
    await expect(evaluate(policy, suite, { onProgress })).rejects.toThrow('stopped');
    expect(calls[0]).toMatch(/^read/);
    expect(calls.at(-1)).toBe('disposed');
  });

  it('counts the training orders, and reports the other order and re-entries separately', async () => {
    const suite = suiteOf(40);
    const report = await evaluate(await warmTable(), suite);
    const { overall, belief, factual, byOrder, heldOut, shortcutRight, shortcutWrong, shortcutLine } = report;
    const outcomes = fromOutcomeTable(report.outcomes!);
    expect(outcomes.map(({ order }) => order)).toEqual(suite.items.map(({ order }) => order));
    expect(wilson(outcomes.filter(({ correct }) => correct).length, 40)).toEqual(overall);
    expect(belief.count + factual.count).toBe(40);
    expect(factual).toEqual(byOrder['0']);
    expect(Object.keys(byOrder)).toEqual(['0', '1', '2', '3', '4']);
    expect([0, 1, 2, 3].reduce((sum, order) => sum + byOrder[String(order)].count, 0)).toBe(40);
    expect(Object.keys(heldOut)).toEqual(['order 4', 're-entry', 'longer stories']);
    expect(heldOut['order 4']).toEqual(byOrder['4']);
    expect(heldOut['order 4'].count).toBe(10);
    // Reality questions have no shortcut.
    expect(shortcutRight.count + shortcutWrong.count - suite.hard.length).toBe(40 - byOrder['0'].count);
    expect(shortcutLine).toBe(shortcutRight.count / (40 - byOrder['0'].count));
  });
});

it('a table of outcomes round-trips every outcome', () => {
  const traces: ItemOutcome['trace'][] = ['faithful', 'partial', 'false', 'empty', 'cut', null];
  const outcomes = traces.flatMap((trace, order) =>
    [true, false, null].map((easy) => ({
      order,
      correct: order % 2 === 0,
      easy,
      answers: order === 0 ? null : 4 + order,
      thinkTokens: 7 * order,
      trace,
    })),
  );
  const table = toOutcomeTable(outcomes);
  expect(fromOutcomeTable(JSON.parse(JSON.stringify(table)) as typeof table)).toEqual(outcomes);
  expect(table.trace.slice(0, 3)).toBe('fff');
});
