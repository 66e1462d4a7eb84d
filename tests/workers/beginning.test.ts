import { describe, expect, it } from 'vitest';
import type { Checkpoint } from '../../src/run/events';
import { checkRunConfig } from '../../src/run/check-config';
import { newRunRecord } from '../../src/store/runs';
import type { Store } from '../../src/store/store';
import { keptRun } from '../../workers/beginning';
import { example } from '../share/example-config';

describe('a kept run of an older version', () => {
  it('goes on: its record and its checkpoint are given the same settings that they lack', async () => {
    const older = structuredClone(example);
    Reflect.deleteProperty(older.evaluation, 'patience');
    const record = newRunRecord(older, 'older', {});
    const checkpoint = { version: 1, config: older, step: 3 } as Checkpoint;
    const store = {
      loadRun: () => Promise.resolve({ record, steps: [], evals: [], alerts: [] }),
      resumeRun: () => Promise.resolve({ record, resumed: { checkpoint, fellBack: false } }),
      updateRun: () => Promise.resolve(record),
      rolloutSteps: () => Promise.resolve([]),
    } as unknown as Store;
    const beginning = await keptRun(record.id, 'wasm', store, () => undefined);
    const { kept, resume } = await beginning.open({});
    expect(checkRunConfig(beginning.config)).toEqual(beginning.config);
    expect(resume?.config).toEqual(beginning.config);
    expect(kept.record.config).toEqual(beginning.config);
  });
});
