/** The parser of run files and a small valid file, for fuzzing. */
import { newTrainerState } from '../../src/rl/trainer-state';
import { packRun, unpackRun } from '../../src/share/run-file';
import { quickFile } from '../fixtures/quick-file';
import type { Parser } from '../fuzz/parsers';
import { example } from './example-config';

export async function runFileParser(): Promise<Parser> {
  const array = new Float32Array([1, 2]);
  const file = await packRun({
    history: {
      record: {
        ...{ id: 'one', config: example, name: 'example', notes: '', status: 'done', step: 1 },
        ...{ checkpointStep: 1, logLength: 1, createdAt: 1, updatedAt: 2, machine: {} },
      },
      steps: [{ step: 1, reward: Number.NaN }],
      evals: [],
      alerts: [{ step: 1, code: 'kl', severity: 'info', cause: 'c', nextStep: 'n' }],
    },
    rollouts: [],
    checkpoint: {
      version: 1,
      config: example,
      step: 1,
      policy: { parameters: array, moment1: array, moment2: array, updates: 1, reference: null },
      trainer: { ...newTrainerState(example) },
    },
  });
  return {
    name: 'run.marble',
    good: new Uint8Array(await file.arrayBuffer()),
    async read(bytes) {
      const { rollouts, ...rest } = await unpackRun(quickFile(bytes));
      const batches = [];
      for await (const batch of rollouts) {
        if (batch.length === 0) throw new Error('a step without rollouts');
        batches.push(batch);
      }
      return { ...rest, batches };
    },
  };
}
