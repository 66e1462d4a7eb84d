import { describe, expect, it } from 'vitest';
import { canGoOn, hasEndedEarly, stepsMadeAgain } from '../../src/app/kept-runs';
import { presets } from '../../src/run/presets';
import type { RunRecord } from '../../src/run/run-record';

const record = (changes: Partial<RunRecord>): RunRecord => ({
  id: 'a',
  config: { ...presets['micro-collapse'], steps: 40 },
  name: 'micro-collapse',
  notes: '',
  status: 'stopped',
  step: 6,
  checkpointStep: 6,
  logLength: 1,
  createdAt: 0,
  updatedAt: 0,
  machine: {},
  ...changes,
});

describe('a kept run', () => {
  it('can go on from its checkpoint while it has steps left', () => {
    expect(canGoOn(record({}))).toBe(true);
    expect(canGoOn(record({ checkpointStep: null }))).toBe(false);
    expect(canGoOn(record({ step: 40, checkpointStep: 40 }))).toBe(false);
  });

  it('makes the steps since its last checkpoint again', () => {
    expect(stepsMadeAgain(record({ status: 'running', step: 6, checkpointStep: 2 }))).toBe(4);
    expect(stepsMadeAgain(record({}))).toBe(0);
    expect(stepsMadeAgain(record({ checkpointStep: null }))).toBe(0);
    expect(stepsMadeAgain(record({ status: 'done', step: 6, checkpointStep: 2 }))).toBe(0);
  });

  it('that early stopping has ended is over, with its steps left', () => {
    const ended = record({ status: 'done' });
    expect(hasEndedEarly(ended)).toBe(true);
    expect(canGoOn(ended)).toBe(false);
    expect(hasEndedEarly(record({}))).toBe(false);
    expect(hasEndedEarly(record({ status: 'done', step: 40, checkpointStep: 40 }))).toBe(false);
  });
});
