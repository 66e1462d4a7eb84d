import { describe, expect, it } from 'vitest';
import { wilson } from '../../../src/reward/accuracy';
import * as reading from '../../../src/app/class/read-runs';
import { readRuns, type ReadRuns } from '../../../src/app/class/read-runs';
import { sentenceOf, whoIsInWords } from '../../../src/app/class/class-remarks';
import { marginWords } from '../../../src/app/words/arms';
import { evalReport, verdict } from '../../run/verdict/verdicts';
import { presets } from '../../../src/run/config/presets';
import type { Evaluation } from '../../../src/run/record/evaluation';
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
    // Other steps are other settings.
    const other = await read([
      { student: '7', seed: 1504, steps: 4 },
      { student: '7', seed: 1504, steps: 5, total: 60 },
    ]);
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

it('the missing seats of a class are listed, however a run of an old link with names is called', () => {
  const inWords = (students: string[], seats: number) =>
    whoIsInWords(
      students.map((student) => ({ student })),
      seats,
    );
  expect(inWords(['7', '3', 'Zoë Müller'], 25)).toBe('2 of 25 are in. Missing: 1, 2, 4 to 6, 8 to 25.');
  expect(inWords(['1', '2', '2'], 2)).toBe('All 2 are in.');
  expect(inWords(['Ada'], 25)).toBe('');
  expect(inWords(['1'], Number.NaN)).toBe('');
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
