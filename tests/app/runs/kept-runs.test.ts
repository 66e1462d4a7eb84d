import { describe, expect, it } from 'vitest';
import * as kept from '../../../src/app/runs/kept-runs';
import { fileKindsOf } from '../../../src/app/runs/run-files';
import { presets } from '../../../src/run/config/presets';
import { newRunRecord } from '../../../src/run/record/new-run';
import type { RunRecord } from '../../../src/run/record/run-record';

const record = (changes: Partial<RunRecord>): RunRecord => ({
  ...newRunRecord({ ...presets['ladder-25k'], steps: 40 }, 'a run', {}),
  ...{ status: 'stopped', step: 6, checkpointStep: 6, ...changes },
});

describe('a kept run', () => {
  it('can resume from its checkpoint while it has steps or its last evaluation left', () => {
    const atEnd = { step: 40, checkpointStep: 40 };
    const runs = [{}, { checkpointStep: null }, atEnd, { ...atEnd, status: 'done' as const }].map(record);
    expect(runs.map(kept.canGoOn)).toEqual([true, false, true, false]);
  });

  it('that was cut off before its first checkpoint is offered from its beginning', () => {
    const cut = record({ status: 'running', step: 0, checkpointStep: null });
    expect(kept.cutOffRun([record({}), cut])).toBe(cut);
    expect(kept.cutOffRun([{ ...cut, trainsElsewhere: true }])).toBeNull();
  });

  it('that trains, here or in another tab, is not told as interrupted', () => {
    const run = record({ status: 'running' });
    const words = (isHere: boolean, trainsElsewhere = false) =>
      kept.standingWords({ ...run, trainsElsewhere }, { trainsHere: () => isHere });
    expect([words(false), words(true), words(false, true)]).toEqual([
      'interrupted',
      'training now',
      'training in another tab',
    ]);
  });
});

it('another seed is one that has not been run with these settings', () => {
  const config = { ...presets['swap-shortcut'], seed: 3 };
  const known = [config, { ...config, seed: 4 }, { ...config, seed: 5, steps: 10 }];
  expect(kept.withAnotherSeed(config, known).seed).toBe(5);
});

const weights = (known: Partial<RunRecord>): string[] =>
  fileKindsOf(record({ checkpointStep: null, ...known })).filter((kind) =>
    /(adapter|model)\.zip$/.test(kind),
  );

it('the weights of a run are offered of its last checkpoint', () => {
  expect(weights({})).toEqual([]);
  expect(weights({ checkpointStep: 40 })).toEqual(['model.zip']);
  const config = { ...presets['ladder-25k'], training: { mode: 'lora', rank: 4, alpha: 8 } as const };
  expect(weights({ checkpointStep: 40, config })).toEqual(['adapter.zip']);
});
