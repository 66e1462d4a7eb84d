import { signal } from '@preact/signals';
import { h } from 'preact';
import { expect, it } from 'vitest';
import type { ErrorReport } from '../../../src/base/error';
import { presets } from '../../../src/run/config/presets';
import { withReader } from '../../../src/app/data/chosen-data';
import { Notice, withHalfBatch } from '../../../src/app/shell/screens';
import type { RunConfig } from '../../../src/run/config/config';
import { questionCounts } from '../../../src/run/config/evaluation-plan';
import { importedSource } from '../../../src/run/config/imported';
import { textOf } from '../../fixtures/little-dom';
import { example } from '../../share/example-config';
import { pageOf } from '../page-of';

it('own data that a toy cannot read keeps its place in the first run of a real model', () => {
  const source = importedSource('mine-0123456789abcdef');
  const own = { ...example, data: { ...example.data, source }, seed: 9 };
  const { model, data, seed, evaluation } = withReader(own);
  const first = presets['first-run-135m'];
  expect([model, data, seed]).toEqual([first.model, own.data, 9]);
  expect(evaluation).toEqual({ ...first.evaluation, hardItems: questionCounts(first).hard });
});

it('a run that needed too much memory trains on half as many sequences at once, down to one', () => {
  const rollout = { ...example.rollout, promptsPerStep: 3, samplesPerPrompt: 4 };
  const sizes: number[] = [];
  let config: RunConfig | null = {
    ...example,
    rollout,
    optimizer: { ...example.optimizer, microBatch: 0 }, // all at once
  };
  while ((config = withHalfBatch(config)) !== null) {
    sizes.push(config.optimizer.microBatch);
    expect(config.rollout).toEqual(rollout); // sampling and training data do not change
  }
  expect(sizes).toEqual([6, 3, 2, 1]);
});

it('a notice about the storage offers to save each run that only a worker holds, or else the run on show', () => {
  const words = (unkept: readonly string[]): string => {
    const page = pageOf({
      unkept: signal(unkept),
      shown: signal({ id: 'shown' }),
      runOf: (id: string) => ({ config: { ...example, preset: 'custom', seed: Number(id) } }),
    });
    const notice: ErrorReport = { code: 'store/full', message: 'No room.', nextStep: 'Make some.' };
    return textOf(h(Notice, { ...page, notice }));
  };
  const count = (text: string): number => text.split(/Save .*? as a file/).length - 1;
  expect([count(words([])), count(words(['1'])), count(words(['1', '2', '3']))]).toEqual([1, 1, 3]);
});
