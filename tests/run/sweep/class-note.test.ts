import { describe, expect, it } from 'vitest';
import { handInName } from '../../../src/app/runs/run-files';
import { classNote, studentOfNote } from '../../../src/run/sweep/class-note';
import { presets } from '../../../src/run/config/presets';
import { newRunRecord } from '../../../src/run/record/new-run';

describe('the note of a run of a class', () => {
  it('says whose the run is, and no other note does', () => {
    expect(studentOfNote(classNote('12'))).toBe('12');
    expect(studentOfNote(`${classNote('Ada L.')}\nand more`)).toBe('Ada L.');
    expect(studentOfNote('')).toBeNull();
    expect(studentOfNote('12')).toBeNull();
    expect(studentOfNote('about a Class: 12')).toBeNull();
    expect(studentOfNote('Class: ')).toBeNull();
  });

  it('names the file after the student and the seed, and after the step where the run has stopped', () => {
    const record = { ...newRunRecord({ ...presets['swap-shortcut'], seed: 1503 }, 'a run', {}), step: 41 };
    expect(handInName('5', { ...record, status: 'done' })).toBe('marble-5-seed-1503.marble');
    expect(handInName(' Zoë, C/B ', { ...record, status: 'stopped' })).toBe(
      'marble-Zoë-C-B-seed-1503-step-41.marble',
    );
    expect(handInName('…', { ...record, status: 'done' })).toBe('marble-student-seed-1503.marble');
  });
});
