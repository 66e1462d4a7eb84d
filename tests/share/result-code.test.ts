import fc from 'fast-check';
import { h } from 'preact';
import { beforeAll, describe, expect, it } from 'vitest';
import { VerdictPanel } from '../../src/app/verdict/verdict-panel';
import { fnv1a } from '../../src/base/digest';
import { presets } from '../../src/run/config/presets';
import type { RunHistory } from '../../src/run/record/history';
import { newRunRecord } from '../../src/run/record/new-run';
import { summarise } from '../../src/run/record/summary';
import { measuredFigure } from '../../src/run/verdict/measured';
import { toOutcomeTable } from '../../src/run/verdict/outcome-table';
import { deflated, encodeLink } from '../../src/share/settings-link';
import { findCodes, readResultCode, resultCode } from '../../src/share/result-code';
import { evalReport, verdict } from '../run/verdict/verdicts';
import { drawn, stubDocument } from '../fixtures/little-dom';
import { sampled } from '../fixtures/sample';
import { refusalOf, refusalTextOf } from '../model/refusal';

beforeAll(stubDocument);

const config = { ...presets['swap-shortcut'], steps: 60, seed: 1504 };
function evaluated(step: number) {
  const accuracy = 0.7 - step / 777;
  const overall = { count: 200, accuracy, low: accuracy - 0.0613, high: accuracy + 0.0587 };
  return evalReport({ step, overall, meanThinkLength: 20.123 - step / 7 });
}
const link = await encodeLink(presets['swap-shortcut'], {
  sweep: { reward: ['logic-rl', 'faithful'] },
  seats: 25,
});
const history: RunHistory = {
  record: {
    ...newRunRecord(config, 'a run', { browser: 'not to be told' }, { link, seat: '12' }),
    notes: 'not to be told either',
    status: 'done',
    step: 60,
  },
  steps: Array.from({ length: 60 }, (_, index) => ({
    step: index + 1,
    reward: Math.sin(index / 9),
    'think/mean_length': 20 - index / 3.3,
    'trace/validity': 0.5 + index / 333,
    entropy: index,
  })),
  evals: [0, 10, 20, 30, 40, 50, 60].map((step) => ({
    report: evaluated(step),
    ...(step > 0 && { verdict: verdict({ step, provisional: step < 60, ending: 'stops thinking' }) }),
  })),
  alerts: [],
};

/** Rounds numbers as a code does. */
const rounded = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value), (_, inner: unknown) =>
    typeof inner === 'number' && !Number.isInteger(inner) ? Number(inner.toPrecision(3)) : inner,
  ) as T;

describe('the code of a result', () => {
  it('has at most two kilobytes and contains the student and the ending', async () => {
    const code = await resultCode(history);
    expect(code.length).toBeLessThan(2000);
    expect(findCodes(`Here it is: ${code} Yours, 12`)).toEqual([
      { code, isWhole: true, start: 12, end: 12 + code.length },
    ]);
    const read = await readResultCode(code);
    const { id, status, step } = history.record;
    expect(read.record).toMatchObject({
      ...{ id, class: { link, seat: '12' }, notes: '', status, step, config, machine: {} },
    });
    expect(read.evals.at(-1)!.verdict).toEqual(rounded(verdict({ step: 60, ending: 'stops thinking' })));
    const { accuracy: before, ...rest } = summarise(history)!;
    const { accuracy: after, ...same } = summarise(read)!;
    expect(after!.to).toBeCloseTo(before!.to, 3);
    expect(same.faithful).toEqual(rest.faithful);
    expect(same.verdict).toMatchObject({ ending: 'stops thinking', provisional: false });
  });

  it('states no accuracy of the shortcut if only the additional hard questions have one', async () => {
    const none = { count: 0, accuracy: 0, low: 0, high: 1 };
    const item = { order: 1, trace: null, correct: true, easy: false, answers: null, thinkTokens: 20 };
    const hard = toOutcomeTable([item, item]);
    const report = {
      ...evaluated(0),
      ...{ shortcutRight: none, shortcutWrong: { ...none, count: 2 }, shortcutLine: 0, hard },
    };
    const lines = [report, { ...report, hard: undefined }].map(async (one) => {
      const read = await readResultCode(await resultCode({ ...history, evals: [{ report: one }] }));
      return measuredFigure(read.evals[0].report, 'shortcutLine');
    });
    expect(await Promise.all(lines)).toEqual([null, 0]);
  });

  it('contains the guess, and a code without one can be read', async () => {
    const guessed = { ...history, record: { ...history.record, guess: 'fakes' as const } };
    expect((await readResultCode(await resultCode(guessed))).record).toMatchObject({
      ...{ class: { link, seat: '12' }, guess: 'fakes' },
    });
    expect((await readResultCode(await resultCode(history))).record.guess).toBeUndefined();
  });

  it('starts at the end of a warm start, with which its verdict compares', async () => {
    const [, ...later] = history.evals;
    const against = 20;
    const evals = [
      { report: evaluated(0) },
      ...later.map(({ report, verdict: judged }) =>
        report.step <= against ? { report } : { report, verdict: { ...judged!, against } },
      ),
    ];
    const read = await readResultCode(await resultCode({ ...history, evals }));
    expect(read.evals.map(({ report }) => report.step)).toEqual([20, 30, 40, 50, 60]);
    expect(read.evals.at(-1)!.verdict).toMatchObject({ against, fate: {} });
    expect(summarise(read)).toMatchObject({ start: 20, verdict: { since: null } });
    expect(summarise({ ...history, evals })).toMatchObject({ start: 20, verdict: { since: 40 } });
  });

  it('is found after mail programs have wrapped or quoted it, and before another code', async () => {
    const code = await resultCode(history);
    const { record } = history;
    const other = await resultCode({ ...history, record: { ...record, class: { link, seat: '13' } } });
    const wrapped = (text: string, width: number, between: string): string =>
      text.match(new RegExp(`.{1,${width}}`, 'g'))!.join(between);
    const half = code.length / 2;
    for (const sent of [
      wrapped(code, 72, '\n'),
      wrapped(`My name stands before it, and so it is wrapped within its hash: ${code}`, 72, '\n'),
      `> ${wrapped(code, 76, '\r\n> ')}`,
      `> > ${wrapped(code, 72, '\n> > ')}`,
      `${code.slice(0, half)}\n\n${code.slice(half)}\nYours,\n12`,
      `${wrapped(code, 3, ' ').slice(0, 200)}${code.slice(150)}`,
    ])
      expect(findCodes(sent), sent).toEqual([expect.objectContaining({ code, isWhole: true })]);
    const both = `${wrapped(code, 72, '\n')}\n${wrapped(other, 72, '\n')}\n`;
    expect(findCodes(both)).toEqual([
      expect.objectContaining({ code, isWhole: true }),
      expect.objectContaining({ code: other, isWhole: true, end: both.length - 1 }),
    ]);
  });

  it('is whole without its last dot, also before words that end with one', async () => {
    const code = await resultCode(history);
    for (const words of ['', '\nThanks.', ' Yours, 12.'])
      expect(findCodes(code.slice(0, -1) + words)).toEqual([
        expect.objectContaining({ code: code.slice(0, -1), isWhole: true }),
      ]);
  });

  it('is found if it is truncated, and so is the next code', async () => {
    const code = await resultCode(history);
    const lines = code.match(/.{1,72}/g)!;
    const cut = lines.slice(0, 5).join('\n');
    expect(findCodes(`${cut}\nwith best wishes\n${code}`)).toEqual([
      { code: cut.replaceAll('\n', ''), isWhole: false, start: 0, end: cut.length },
      expect.objectContaining({ code, isWhole: true }),
    ]);
    await expect(readResultCode(cut.replaceAll('\n', ''))).rejects.toThrow(
      'The code is incomplete or was changed on its way: ask for it again.',
    );
  });

  it('gives the same whole and tenths of a per cent as the run', async () => {
    const fractions = [0.5751, 0.08854, 0.0045, 0.57496];
    for (let count = 1; count <= 500; count += 41)
      for (let right = 1; right < count; right += 3) fractions.push(right / count);
    const roundedPercents = (value: number) => [100, 1000].map((scale) => Math.round(scale * value));
    // A code has 24 points.
    for (let at = 0; at < fractions.length; at += 24) {
      const some = fractions.slice(at, at + 24);
      const steps = some.map((value, index) => ({ step: index + 1, 'trace/validity': value }));
      const read = await readResultCode(await resultCode({ ...history, steps }));
      const shown = read.steps.map((step) => roundedPercents(step['trace/validity']));
      expect(shown).toEqual(some.map(roundedPercents));
    }
  });

  it('gives the same tokens of thinking and the same ratio as the run', async () => {
    const length = { before: 9.496, now: 9.5496, ratio: { value: 1.0056, low: 0.9996, high: 12.345 } };
    const [start] = history.evals;
    const judged = {
      report: evaluated(60),
      verdict: verdict({ step: 60, ending: 'stops thinking', length }),
    };
    const read = await readResultCode(await resultCode({ ...history, evals: [start, judged] }));
    const shown = ({ evals }: Pick<RunHistory, 'evals'>): string =>
      drawn(h(VerdictPanel, { evaluations: evals })).text();
    expect(shown(read)).toBe(shown({ evals: [start, judged] }));
    expect(shown(read)).toContain('9 → 10 tokens');
  });

  it('has the number of steps of a run whose curves are too long to draw every step', async () => {
    const steps = [1, 1500, 3000].map((step) => ({ ...history.steps[0], step }));
    const record = { ...history.record, config: { ...config, steps: 3000 }, step: 3000 };
    const read = await readResultCode(await resultCode({ ...history, record, steps }));
    expect(summarise(read)!.steps).toBe(3000);
  });

  it('lacks the evaluation since which the verdict holds, unless there was only one', async () => {
    const sinceOf = (of: RunHistory) => summarise(of)!.verdict!.since;
    expect(sinceOf(history)).toBe(20);
    expect(sinceOf(await readResultCode(await resultCode(history)))).toBeNull();
    const ends = { ...history, evals: [history.evals[0], history.evals[6]] };
    expect(sinceOf(await readResultCode(await resultCode(ends)))).toBe(60);
  });

  it('of a run that is not at its end has the ending on which its last two evaluations agree', async () => {
    const stopped = { ...history, evals: history.evals.slice(0, -1) };
    const read = await readResultCode(await resultCode(stopped));
    const standing = { ending: 'stops thinking', provisional: true, step: 50 };
    expect(summarise(stopped)!.verdict).toMatchObject(standing);
    expect(summarise(read)!.verdict).toMatchObject({ ...standing, since: null });
    expect(read.evals.map(({ report }) => report.step)).toEqual([0, 20, 30, 40, 50]);
    const brief = { ...history, evals: history.evals.slice(0, 3) };
    expect(summarise(await readResultCode(await resultCode(brief)))!.verdict).toMatchObject({ since: 20 });
  });

  it('has no figure of traces for a run without them', async () => {
    const outcomes = {
      order: '1',
      correct: '1',
      shortcutRight: '-',
      answers: '-',
      trace: '-',
      thinkTokens: [2],
    };
    const evals = history.evals.map((one) => ({ ...one, report: { ...one.report, outcomes } }));
    const read = await readResultCode(await resultCode({ ...history, evals }));
    expect(summarise({ ...history, evals })!.traceValidity).toBeNull();
    expect(summarise(read)!.traceValidity).toBeNull();
    expect(summarise(await readResultCode(await resultCode(history)))!.traceValidity).not.toBeNull();
  });

  it('has curves interpolated from thinned points to every step of the run', async () => {
    const { steps } = await readResultCode(await resultCode(history));
    expect(steps.map(({ step }) => step)).toEqual(history.steps.map(({ step }) => step));
    steps.forEach((record, index) => {
      expect(record.reward).toBeCloseTo(history.steps[index].reward, 1);
      expect(record['think/mean_length']).toBeCloseTo(history.steps[index]['think/mean_length'], 0);
      expect(record.entropy).toBeUndefined();
    });
  });

  it('can be read for a run without steps and for figures that are not finite', async () => {
    const { record } = history;
    const atStart = { ...record, status: 'running' as const, step: 0 };
    const begun = { ...history, record: atStart, steps: [], evals: [] };
    expect((await readResultCode(await resultCode(begun))).steps).toEqual([]);
    const [first] = history.steps;
    const steps = [{ ...first, step: 0 }, first];
    const fromNought = await readResultCode(await resultCode({ ...begun, steps }));
    expect(fromNought.steps.map(({ step }) => step)).toEqual([0, 1]);
    const odd = evalReport({ meanThinkLength: Number.NaN });
    const nothing = verdict({ faithful: null, fate: null, wrong: null, faithfulWrong: null, sampled: null });
    const evals = [{ report: odd }, { report: odd, verdict: nothing }];
    const read = await readResultCode(await resultCode({ ...history, evals }));
    expect(read.evals[0].report.meanThinkLength).toBeNaN();
    expect(read.evals[1].verdict).toEqual(rounded(nothing));
  });

  it('is rejected with an error code if a letter is missing or changed, or for another version', async () => {
    const code = await resultCode(history);
    const refused = async (text: string): Promise<void> => {
      expect(await refusalOf(() => readResultCode(text))).toBe('share/bad-code');
    };
    await refused(code.replace('M2.', 'M1.'));
    await refused('M2');
    const bomb = await deflated('a'.repeat(100_000));
    await refused(`M2.${fnv1a(bomb).toString(16).padStart(8, '0')}.${bomb}.`);
    await fc.assert(
      fc.asyncProperty(fc.nat(code.length - 5), fc.constantFrom('', 'A', '-', '.'), async (place, letter) => {
        fc.pre(code[place + 3] !== letter);
        const changed = code.slice(0, place + 3) + letter + code.slice(place + 4);
        await refused(changed);
      }),
      { numRuns: sampled(50, 500) },
    );
  });
});

it('a text of many broken codes is read, and a whole one after them is found', async () => {
  const broken = 'M2.0123abcd.abcdefgh ijkl mnop ';
  const code = await resultCode(history);
  const found = findCodes(broken.repeat(9_000) + code);
  expect(found).toHaveLength(9_001);
  expect(found.at(-1)).toMatchObject({ code, isWhole: true });
});

it('a text of more characters or codes than a class sends is refused before any code is read', async () => {
  const tooMuch = /^The text has \d+ (codes|characters); the limit is/;
  for (const text of ['M2.0123abcd.a '.repeat(10_001), 'x'.repeat(4_000_001)])
    expect(await refusalTextOf(() => Promise.resolve().then(() => findCodes(text)))).toMatch(tooMuch);
});
