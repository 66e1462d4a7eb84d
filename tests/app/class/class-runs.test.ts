import { describe, expect, it } from 'vitest';
import * as reading from '../../../src/app/class/read-runs';
import { readRuns, whoIsInWords, type ReadRuns } from '../../../src/app/class/read-runs';
import { presets } from '../../../src/run/config/presets';
import { findCodes, readResultCode, resultCode } from '../../../src/share/result-code';
import { packRun, unpackRun } from '../../../src/share/run-file';
import type { RunHistory } from '../../../src/run/record/history';
import { newRunRecord } from '../../../src/run/record/new-run';

interface Sent {
  student: string;
  seed: number;
  steps: number;
  id: string;
  /** Steps of the settings. */
  total: number;
  status: 'stopped' | 'done';
}

/** A run of student 7 that was stopped at step 4, with these changes. */
async function fileOf(changes: Partial<Sent>): Promise<File> {
  const { student = '7', seed = 1504, steps = 4, total = 150, status = 'stopped' } = changes;
  const id = changes.id ?? `${student} ${seed} ${steps}`;
  const record = {
    ...newRunRecord({ ...presets['swap-shortcut'], seed, steps: total }, 'a run', {}),
    ...{ id, class: { link: 'a class', seat: student }, status, step: steps },
  };
  const rows = Array.from({ length: steps }, (_, index) => ({ step: index + 1 }));
  const history = { record, evals: [], alerts: [], steps: rows };
  return new File([await packRun({ history, rollouts: [], checkpoint: null })], `${student}.marble`);
}

const historyOf = async (file: File): Promise<RunHistory> =>
  file.type === 'text/plain' ? readResultCode(await file.text()) : (await unpackRun(file)).history;

const none: ReadRuns = { runs: [], refused: [] };

const read = async (sent: readonly Partial<Sent>[]): Promise<ReadRuns> =>
  readRuns(await Promise.all(sent.map(fileOf)), none, historyOf);

describe('the runs that a class sends', () => {
  it('count once where two are of the same settings and seed: the one that came further', async () => {
    const { runs } = await read([{}, { steps: 9 }, { student: '8', steps: 2 }, { seed: 1505, steps: 3 }]);
    expect(runs.map(({ student }) => student)).toEqual(['7', '7', '8', '7']);
    expect(reading.isRepeated(runs)).toEqual([true, false, true, false]);
    // Other steps are other settings.
    const other = await read([{}, { steps: 5, total: 60 }]);
    expect(reading.isRepeated(other.runs)).toEqual([false, false]);
  });

  it('are kept once where the same run is sent again: the one that has come further, and a file before a code', async () => {
    const at = (steps: number, student = '7') => fileOf({ student, steps, id: 'one' });
    const [file, further, between, other] = await Promise.all([at(4), at(9), at(6), at(5, '8')]);
    const sent = await resultCode(await historyOf(file));
    const [code] = reading.codesIn(sent, findCodes(sent));
    for (const [files, kept] of [
      [[file, further], further],
      [[further, between], further],
      [[file, file], file],
      [[code, code], code],
      [[code, file], file],
      [[file, code], file],
    ] as const) {
      const now = await readRuns(files, none, historyOf);
      expect(now.runs.map(({ student, file: from }) => [student, from])).toEqual([['7', kept]]);
    }
    // Under another name it is in the list, but counts once.
    const two = await readRuns([file, other], none, historyOf);
    expect(reading.isRepeated(two.runs)).toEqual([true, false]);
  });

  it('are told by the names before their codes', () => {
    const [one, two] = [`M2.0123abcd.${'x'.repeat(20)}`, `M2.0123abcd.${'y'.repeat(20)}`];
    const text = `Hello\n> Student 19: ${one}\n> ${two}\nAda:\n${one}\nthat was all`;
    const names = reading.codesIn(text, findCodes(text)).map(({ name }) => name);
    expect(names).toEqual(['Student 19: code …xxxxxx', 'code …yyyyyy']);
  });

  it('count as done where one of as many steps was stopped in its last evaluation', async () => {
    const sent = { steps: 150, id: 'one' };
    const done = { ...sent, status: 'done' } as const;
    const two = await read([sent, { ...done, id: 'other' }]);
    expect(reading.isRepeated(two.runs)).toEqual([true, false]);
    const again = await read([sent, done]);
    expect(again.runs.map(({ history }) => history.record.status)).toEqual(['done']);
  });
});

it('the missing seats of a class are listed, by the number of seats in its link', async () => {
  const { runs } = await read([{}]);
  const [{ history, file }] = runs;
  const linked = (student: string, link: string) => {
    const record = { ...history.record, class: { link, seat: student } };
    return { student, file, history: { ...history, record } };
  };
  const words = (link: string, ...students: string[]) =>
    whoIsInWords(students.map((student) => linked(student, link)));
  const link = '#ladder-12k&class=9&lesson=on';
  expect(words(link, '7', '3', 'Zoë Müller')).toBe('2 of 9 are in. Missing: 1, 2, 4, 5, 6, 8, 9.');
  expect(words('#a&class=2', '1', '2', '2')).toBe('All 2 are in.');
  expect(whoIsInWords([linked('7', '#ladder-12k'), linked('3', '#a&class=3')])).toMatch(/^1 of 3 are in/);
  expect([words('a class', '7'), words('#a&class=9999999', '7'), words(link)]).toEqual(['', '', '']);
});
