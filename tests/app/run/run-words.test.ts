import { expect, it } from 'vitest';
import { phaseWords } from '../../../src/app/run/run-panel';

const half = { fraction: 0.5 };

// A quick step has one word for all phases, so that it can be read.
it.each<[...Parameters<typeof phaseWords>, words: string]>([
  ['rollout', 0.3, half, 'training'],
  ['update', 0.3, half, 'training'],
  ['evaluate', 0.3, { fraction: 0.347 }, 'asking test questions, 34 %'],
  ['compile', null, { fraction: 0, count: { done: 11, total: 60 } }, 'compiling kernel 12 of 60'],
  [
    'rollout',
    null,
    { fraction: 0.449, count: { done: 12, total: 32 } },
    'asking questions, 44 %: 12 of 32 answers',
  ],
  ['reference', 20, { fraction: 0 }, 'comparing with the start, 0 %'],
  ['update', 20, half, 'learning, 50 %'],
])('in the phase %s of a step of %s s a run says what it is at', (phase, seconds, progress, words) => {
  expect(phaseWords(phase, seconds, progress)).toBe(words);
});
