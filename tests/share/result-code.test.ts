import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fnv1a } from '../../src/base/digest';
import { presets } from '../../src/run/config/presets';
import type { StepRecord } from '../../src/run/record/events';
import type { RunHistory } from '../../src/run/record/history';
import { newRunRecord } from '../../src/run/record/new-run';
import { summarise } from '../../src/run/record/summary';
import { deflated, encodeLink, inflated } from '../../src/share/settings-link';
import { findCodes, readResultCode, resultCode } from '../../src/share/result-code';
import { evalReport, verdict } from '../run/verdict/verdicts';
import { sampled } from '../fixtures/sample';
import { refusalOf, refusalTextOf } from '../model/refusal';

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

/** The run of the code of a run. */
const readBack = async (changes: Partial<RunHistory> = {}): Promise<RunHistory> =>
  readResultCode(await resultCode({ ...history, ...changes }));

const codeOf = (content: string): string => `M2.${fnv1a(content).toString(16).padStart(8, '0')}.${content}.`;

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

  it('has at most five evaluations, with those that give its ending, from the end of a warm start', async () => {
    const resultOf = async (evals: RunHistory['evals']) => {
      const read = await readBack({ evals });
      const { start, verdict: judged } = summarise(read)!;
      const since = summarise({ ...history, evals })!.verdict!.since;
      return { steps: read.evals.map(({ report }) => report.step), start, since: [since, judged!.since], provisional: judged!.provisional, ending: judged!.ending }; // prettier-ignore
    };
    const { evals } = history;
    // The evaluation since which the verdict holds is left out, unless there was only one.
    const ending = 'stops thinking';
    const whole = { steps: [0, 20, 30, 50, 60], start: 0, since: [20, null], provisional: false, ending };
    expect(await resultOf(evals)).toEqual(whole);
    expect(await resultOf([evals[0], evals[6]])).toMatchObject({ steps: [0, 60], since: [60, 60] });
    // Of a run that is not at its end, the last two evaluations give the ending.
    const stopped = { steps: [0, 20, 30, 40, 50], since: [20, null], provisional: true, ending };
    expect(await resultOf(evals.slice(0, -1))).toMatchObject(stopped);
    expect(await resultOf(evals.slice(0, 3))).toMatchObject({ since: [20, 20], provisional: true });
    const warm = evals.map(({ report, verdict: judged }) =>
      report.step <= 20 ? { report } : { report, verdict: { ...judged!, against: 20 } },
    );
    expect(await resultOf(warm)).toMatchObject({ steps: [20, 30, 40, 50, 60], start: 20, since: [40, null] });
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
    // A code may lack its last dot, also before words that end with one.
    for (const words of ['', '\nThanks.', ' Yours, 12.'])
      expect(findCodes(code.slice(0, -1) + words)).toMatchObject([
        { code: code.slice(0, -1), isWhole: true },
      ]);
    const both = `${wrapped(code, 72, '\n')}\n${wrapped(other, 72, '\n')}\n`;
    expect(findCodes(both)).toEqual([
      expect.objectContaining({ code, isWhole: true }),
      expect.objectContaining({ code: other, isWhole: true, end: both.length - 1 }),
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

  it('gives the same digits as the run where the page rounds a number', async () => {
    const values = [0.5751, 0.08854, 0.0045, 0.57496, 9.496, 9.5496, 1.0056, 12.345];
    // Tokens, and their tenths; hundredths of ratios; whole per cent, and their tenths.
    const digits = ({ reward }: StepRecord) => [1, 10, 100, 1000].map((scale) => Math.round(scale * reward));
    const steps = values.map((reward, index): StepRecord => ({ step: index + 1, reward }));
    expect((await readBack({ steps })).steps.map(digits)).toEqual(steps.map(digits));
  });

  it('has curves interpolated from thinned points to every step of the run, unless there are too many', async () => {
    const { steps } = await readBack();
    expect(steps.map(({ step }) => step)).toEqual(history.steps.map(({ step }) => step));
    steps.forEach((record, index) => {
      expect(record.reward).toBeCloseTo(history.steps[index].reward, 1);
      expect(record['think/mean_length']).toBeCloseTo(history.steps[index]['think/mean_length'], 0);
      expect(record.entropy).toBeUndefined();
    });
    const record = { ...history.record, config: { ...config, steps: 3000 }, step: 3000 };
    const points = [1, 1500, 3000].map((step) => ({ ...history.steps[0], step }));
    expect((await readBack({ record, steps: points })).steps.map(({ step }) => step)).toEqual([
      1, 1500, 3000,
    ]);
  });

  it('can be read for a run without steps and for figures that are not finite', async () => {
    const atStart = { ...history.record, status: 'running' as const, step: 0 };
    const begun = { record: atStart, steps: [], evals: [] };
    expect((await readBack(begun)).steps).toEqual([]);
    const [first] = history.steps;
    const fromNought = await readBack({ ...begun, steps: [{ ...first, step: 0 }, first] });
    expect(fromNought.steps.map(({ step }) => step)).toEqual([0, 1]);
    const odd = evalReport({ meanThinkLength: Number.NaN });
    const nothing = verdict({ faithful: null, wrong: null, faithfulWrong: null, sampled: null });
    const read = await readBack({ evals: [{ report: odd }, { report: odd, verdict: nothing }] });
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
    await refused(codeOf(await deflated('a'.repeat(100_000))));
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

it.each([
  ['an id that is a number', { id: 1 }, 'is invalid: text'],
  ['steps out of order', { points: [[2, 1]] }, 'out of order'],
  ['a point without a step', { points: [[1, null]] }, 'out of order'],
  ['a part of a step', { points: [[1, 1.5]] }, 'out of order'],
  ['steps beyond the end of the run', { points: [[61]] }, 'out of order'],
  ['a guess, as earlier versions held', { guess: 'fakes' }, null],
])('a code with a valid hash and %s: %s', async (_, change, message) => {
  const content = JSON.parse(await inflated((await resultCode(history)).split('.')[2])) as object;
  const code = codeOf(await deflated(JSON.stringify({ ...content, ...change })));
  if (message !== null) expect(await refusalTextOf(() => readResultCode(code))).toContain(message);
  else expect((await readResultCode(code)).record).not.toHaveProperty('guess');
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
