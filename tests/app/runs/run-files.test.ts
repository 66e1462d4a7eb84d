import { expect, it } from 'vitest';
import { fileKindsOf } from '../../../src/app/runs/run-files';
import { presets } from '../../../src/run/config/presets';
import { newRunRecord } from '../../../src/run/record/new-run';

const record = newRunRecord(presets['swap-shortcut'], 'example', {});
const weights = (known: Partial<typeof record>): string[] =>
  fileKindsOf({ ...record, ...known }).filter((kind) => /(adapter|model)\.zip$/.test(kind));

it('the weights of a run are offered of the last step, and of the best one where that is another', () => {
  expect(weights({})).toEqual([]);
  expect(weights({ checkpointStep: 40 })).toEqual(['model.zip']);
  expect(weights({ checkpointStep: 40, bestStep: 40 })).toEqual(['model.zip']);
  expect(weights({ checkpointStep: 60, bestStep: 40 })).toEqual(['model.zip', 'best-model.zip']);
});
