import { describe, expect, it } from 'vitest';
import {
  canGoOn,
  cutOffRun,
  hasEndedEarly,
  lastCheckpointStep,
  overlaidName,
  standingElsewhere,
  stepsMadeAgain,
  withAnotherSeed,
} from '../../../src/app/runs/kept-runs';
import { fileKindsOf } from '../../../src/app/runs/run-files';
import { presets } from '../../../src/run/config/presets';
import type { RunRecord } from '../../../src/run/record/run-record';

const record = (changes: Partial<RunRecord>): RunRecord => ({
  id: 'a',
  config: { ...presets['ladder-25k'], steps: 40 },
  name: 'ladder-25k',
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

  it('that was cut off before its first checkpoint is offered from its beginning', () => {
    const cut = record({ status: 'running', step: 0, checkpointStep: null });
    expect(cutOffRun([record({}), cut])).toBe(cut);
    expect(lastCheckpointStep(cut)).toBe(0);
    expect(cutOffRun([{ ...cut, trainsElsewhere: true }])).toBeNull();
    expect(canGoOn({ ...cut, machine: { program: 'TRL' } })).toBe(false);
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

  it('of another program is told with the program, and stands where its log ends, or nobody knows', () => {
    const other = record({ status: 'done', step: 5, machine: { program: 'TRL' }, notes: 'Read from a log' });
    expect(standingElsewhere(other)).toBe('trained by TRL, step 5 of 40');
    expect(overlaidName(other)).toMatch(/^TRL: The ladder: the middle model/);
    const alone = record({ status: 'done', step: 40, machine: { program: 'PEFT', steps: 'unknown' } });
    expect(standingElsewhere(alone)).toBe('trained by PEFT; its files do not say in how many steps');
    expect(standingElsewhere(record({}))).toBeNull();
    expect(overlaidName(record({ notes: 'the second try' }))).toBe('the second try');
  });
});

it('another seed is one that has not been run with these settings', () => {
  const config = { ...presets['swap-shortcut'], seed: 3 };
  const known = [config, { ...config, seed: 4 }, { ...config, seed: 5, steps: 10 }];
  expect(withAnotherSeed(config, known).seed).toBe(5);
});

const weights = (known: Partial<RunRecord>): string[] =>
  fileKindsOf(record({ checkpointStep: null, ...known })).filter((kind) =>
    /(adapter|model)\.zip$/.test(kind),
  );

it('the weights of a run are offered of the last step, and of the best one where that is another', () => {
  expect(weights({})).toEqual([]);
  expect(weights({ checkpointStep: 40 })).toEqual(['model.zip']);
  expect(weights({ checkpointStep: 40, bestStep: 40 })).toEqual(['model.zip']);
  expect(weights({ checkpointStep: 60, bestStep: 40 })).toEqual(['model.zip', 'best-model.zip']);
});
