import { describe, expect, it } from 'vitest';
import { wilson } from '../../../src/reward/accuracy';
import { classSettings, sentTwice } from '../../../src/app/class/class-settings';
import * as reading from '../../../src/app/class/read-runs';
import { readRuns, type ReadRuns } from '../../../src/app/class/read-runs';
import { differsFromCounted, guessesWords, sentenceOf } from '../../../src/app/class/class-remarks';
import { whoIsInWords } from '../../../src/app/class/who-is-in';
import { marginWords } from '../../../src/app/words/arms';
import { evalReport, verdict } from '../../run/verdict/verdicts';
import { encodeLink } from '../../../src/share/settings-link';
import { presets } from '../../../src/run/config/presets';
import type { Evaluation } from '../../../src/run/record/evaluation';
import type { Ending } from '../../../src/run/verdict/ending';
import type { Guess } from '../../../src/run/verdict/guess';
import { runOfSeat } from '../../../src/run/sweep/seats';
import { findCodes, readResultCode, resultCode } from '../../../src/share/result-code';
import { packRun, unpackRun } from '../../../src/share/run-file';
import type { RunHistory } from '../../../src/run/record/history';
import { newRunRecord } from '../../../src/run/record/new-run';

interface Sent {
  student: string;
  seed: number;
  steps: number;
  id?: string;
  /** Settings of the run. */
  total?: number;
  status?: 'stopped' | 'done';
}

async function fileOf({
  student,
  seed,
  steps,
  total = 150,
  status = 'stopped',
  id = `${student} ${seed} ${steps}`,
}: Sent): Promise<File> {
  const record = {
    ...newRunRecord({ ...presets['swap-shortcut'], seed, steps: total }, 'a run', {}),
    ...{ id, class: { link: 'a class', seat: student }, status, step: steps },
  };
  const history = {
    ...{ record, evals: [], alerts: [] },
    steps: Array.from({ length: steps }, (_, index) => ({ step: index + 1 })),
  };
  return new File([await packRun({ history, rollouts: [], checkpoint: null })], `${student}.marble`);
}

const historyOf = async (file: File): Promise<RunHistory> =>
  file.type === 'text/plain' ? readResultCode(await file.text()) : (await unpackRun(file)).history;

const none: ReadRuns = { runs: [], refused: [] };

const read = async (sent: readonly Sent[]): Promise<ReadRuns> =>
  readRuns(await Promise.all(sent.map(fileOf)), none, historyOf);

describe('the runs that a class sends', () => {
  it('count once where two are of the same settings and seed: the one that came further', async () => {
    const { runs } = await read([
      { student: '7', seed: 1504, steps: 4 },
      { student: '7', seed: 1504, steps: 9 },
      { student: '8', seed: 1504, steps: 2 },
      { student: '7', seed: 1505, steps: 3 },
    ]);
    expect(runs.map(({ student }) => student)).toEqual(['7', '7', '8', '7']);
    expect(reading.isRepeated(runs)).toEqual([true, false, true, false]);
    expect(sentTwice(runs)).toEqual([{ student: '7', seeds: [1504, 1504, 1505], settings: [] }]);
    // Other steps are other settings.
    const other = await read([
      { student: '7', seed: 1504, steps: 4 },
      { student: '7', seed: 1504, steps: 5, total: 60 },
    ]);
    const settings = ['steps 150', 'steps 60'];
    expect(sentTwice(other.runs)).toEqual([{ student: '7', seeds: [1504, 1504], settings }]);
    expect(reading.isRepeated(other.runs)).toEqual([false, false]);
  });

  it('are kept once where the same run is sent again: the one that has come further, and a file before a code', async () => {
    const at = (steps: number, student = '7') => fileOf({ student, seed: 1504, steps, id: 'one' });
    const [file, further, between, other] = await Promise.all([at(4), at(9), at(6), at(5, '8')]);
    const code = reading.codeFile(await resultCode(await historyOf(file)));
    const same = 'the run of 7, as in 7.marble';
    const cameFurther = 'replaced by 7.marble, in which the run of 7 has come further';
    for (const [sent, kept, why, isCopy] of [
      [[file, further], further, cameFurther, true],
      [[further, between], further, same, true],
      [[file, other], file, 'the run of 7, as in 7.marble, under the name of 8', false],
      [[file, file], file, same, true],
      [[code, code], code, expect.stringMatching(/^the run of 7, as in code …/) as string, true],
      [[code, file], file, 'replaced by 7.marble, the file of the same run', true],
      [[file, code], file, same, true],
    ] as const) {
      const now = await readRuns(sent, none, historyOf);
      expect(now.runs.map(({ student, file: from }) => [student, from])).toEqual([['7', kept]]);
      expect(now.refused).toMatchObject([{ why, isCopy }]);
    }
  });

  it('count as done where one of as many steps was stopped in its last evaluation', async () => {
    const sent = { student: '7', seed: 1504, steps: 150 };
    const done = { ...sent, status: 'done' } as const;
    const two = await read([
      { ...sent, id: 'one' },
      { ...done, id: 'other' },
    ]);
    expect(reading.isRepeated(two.runs)).toEqual([true, false]);
    const again = await read([
      { ...sent, id: 'one' },
      { ...done, id: 'one' },
    ]);
    expect(again.runs.map(({ history }) => history.record.status)).toEqual(['done']);
  });

  it('are told by the names before their codes, and what is no code is told', () => {
    const [one, two] = [`M2.0123abcd.${'x'.repeat(20)}`, `M2.0123abcd.${'y'.repeat(20)}`];
    const text = `Hello\n> Student 19: ${one}\n> ${two}\nAda:\n${one}\nthat was all`;
    const { files, others } = reading.codesIn(text, findCodes(text));
    expect(files.map(({ name }) => name)).toEqual(['Student 19: code …xxxxxx', 'code …yyyyyy']);
    expect(others).toEqual(['Hello', 'that was all']);
    const lines = [...others, 'M2.0123', 'x'.repeat(20), `a ${'x'.repeat(19)}`];
    expect(lines.map(reading.looksLikeCode)).toEqual([false, false, true, true, false]);
  });

  it('are named in a time in proportion to the line before them', () => {
    const text = `Ada${' '.repeat(300_000)}. M2.0123abcd.${'x'.repeat(20)}`;
    const [{ name }] = reading.codesIn(text, findCodes(text)).files;
    expect(name).toMatch(/^\s+\.: code …xxxxxx$/);
  }, 20_000);
});

describe('who is in', () => {
  const inWords = async (sent: readonly (Sent & { others?: string })[], seats: number) => {
    const { runs } = await read(sent);
    const rows = runs.map((run, index) => ({ ...run, others: sent[index].others ?? '' }));
    return whoIsInWords(rows, seats);
  };
  const one = (student: string, others?: string) => ({ student, seed: 1, steps: 1, others });

  const names = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eve', 'Fay'];

  it('is told of those too who sit by name, and of many how many', async () => {
    const seated = ['7', '3', 'Zoë Müller'].map((name) => one(name));
    expect(await inWords(seated, 25)).toBe(
      '2 of 25 are in, and 1 by name (Zoë Müller). Missing: 1, 2, 4 to 6, 8 to 25.',
    );
    expect(await inWords([...seated, one('20', 'steps 9'), one('4', 'steps 9')], 7)).toMatch(
      /so not in: seats 4, 20\.$/,
    );
    const many = ['1', '2', ...names].map((name) => one(name));
    expect(await inWords(many, 2)).toBe('All 2 are in, and 6 by name.');
    expect(await inWords(many.slice(2, 4), 25)).toBe('In: 2 by name (Ada, Ben).');
    expect(await inWords([one('1')], Number.NaN)).toBe('');
  });

  it('leaves out students whose settings are not those of their seat', async () => {
    const apart = (name: string) => one(name, 'preset ladder-12k');
    const sent = [one('1'), apart('2'), { ...apart('1'), seed: 2 }, apart('3'), apart('Zoë')];
    expect(await inWords(sent, 3)).toBe(
      '1 of 3 are in. Missing: 2, 3. With other settings, and so not in: seats 2, 3 and Zoë.',
    );
    expect(await inWords([one('1'), ...names.map(apart)], 1)).toBe(
      'All 1 are in. With other settings, and so not in: 6 students.',
    );
  });
});

/** The history of a run with these evaluations. */
const evaluated = (...evals: Evaluation[]): RunHistory => ({
  record: newRunRecord(presets['swap-shortcut'], 'a run', {}),
  ...{ steps: [], alerts: [], evals },
});
const start: Evaluation = { report: evalReport() };

it('the sentence on the runs of an arm has an interval where the table has one, of three runs or more', () => {
  const ended = (right: number) => {
    const report = evalReport({ step: 150, shortcutWrong: wilson(right, 25) });
    return { history: evaluated(start, { report, verdict: verdict() }) };
  };
  expect(sentenceOf([ended(1), ended(2)])).toContain('hard questions 40 → 6 %, correct');
  expect(sentenceOf([ended(1), ended(2), ended(1)])).toContain('hard questions 40 → 5 % ± 6, correct');
  expect([1.01, 0.006, 0.004].map(marginWords)).toEqual([' ± over 100', ' ± 1', ' ± under 1']);
});

it('the guesses of a class are counted, and with the endings those that are right', () => {
  const rowOf = (guess?: Guess, ending?: Ending, isRepeated = false) => {
    const ends = ending && [{ report: evalReport({ step: 150 }), verdict: verdict({ ending }) }];
    const { record, ...rest } = evaluated(start, ...(ends ?? []));
    return { isRepeated, history: { ...rest, record: { ...record, guess } } };
  };
  const rows = [
    rowOf('keeps', 'thinks less'),
    rowOf('keeps', 'stops thinking'),
    rowOf('stops', 'stops thinking'),
    rowOf('stops', 'too close to call'),
    rowOf('fakes'),
    rowOf(undefined, 'stops thinking'),
    rowOf('stops', 'stops thinking', true),
  ];
  expect(guessesWords(rows, false)).toBe(
    'Guesses of 5 of 6 runs: 2 “mostly keeps reasoning”, 1 “only seems to reason”, 2 “stops reasoning”.',
  );
  expect(guessesWords(rows, true)).toBe(
    'Guesses: 2 right, 1 wrong, 1 neither right nor wrong, 1 without an ending yet.',
  );
  expect(guessesWords(rows.slice(5), true)).toBe('No run has a guess.');
});

describe('the settings of a class', () => {
  const base = presets['swap-shortcut'];
  const sweep = { reward: ['logic-rl' as const, 'faithful' as const] };

  /** The file of a seat whose student has changed a setting, read again. */
  async function readSeats(changes: Record<string, Partial<typeof base>>): Promise<ReadRuns> {
    const link = await encodeLink(base, { sweep, seats: 4 });
    const files = Object.entries(changes).map(async ([seat, change]) => {
      const { config } = runOfSeat({ base, axes: sweep, seats: 4 }, seat);
      const record = newRunRecord({ ...config, ...change }, 'a run', {}, { link, seat });
      const history = { record, steps: [], evals: [], alerts: [] };
      return new File([await packRun({ history, rollouts: [], checkpoint: null })], 'run.marble');
    });
    return readRuns(await Promise.all(files), none, historyOf);
  }

  it('are those of the link in each file, so that a changed setting is named and gets an arm', async () => {
    const rollout = { ...base.rollout, promptsPerStep: 4, samplesPerPrompt: 4, temperature: 0.5 };
    const many = { steps: 60, checkpointEvery: 9, rollout };
    const { runs } = await readSeats({ 1: {}, 2: { steps: 60 }, 3: {}, 4: many });
    const settings = classSettings(runs);
    expect(settings.pop()!.others).toMatch(/^[^,]+(, [^,]+){3} and 1 more$/);
    expect(settings).toEqual([
      { others: '', arm: 'paid for Right answers (Logic-RL)' },
      { others: 'steps 60', arm: 'paid for Correct reasoning, steps 60' },
      { others: '', arm: 'paid for Right answers (Logic-RL)' },
    ]);
  });

  it('are each run’s own outside a class', async () => {
    const { runs } = await readSeats({ 1: {}, 3: { steps: 60 } });
    const bare = classSettings(runs.map((run) => ({ ...run, seat: null })));
    expect(bare).toEqual(['steps 150', 'steps 60'].map((arm) => ({ others: '', arm })));
  });
});

it('a repeated run is marked if its figures differ from those of the run that counts', () => {
  const rowOf = (right: number, isRepeated: boolean) => ({
    isRepeated,
    history: evaluated({ report: evalReport({ overall: wilson(right, 100) }) }),
  });
  const rows = [rowOf(60, false), rowOf(60, true), rowOf(75, true)];
  expect(rows.map((row) => differsFromCounted(row, rows))).toEqual([false, false, true]);
});
