/** A recorded run of a real model, for the first screen. */
import type { RunConfig } from '../config/config';

/** Preset and seed of the recorded run. */
export const realRun = { preset: 'first-run-135m', seed: 3 } as const;

interface ShownAnswer {
  thinks: string;
  answers: string | null;
  correct: boolean;
}

/** Content of `public/recordings/first-run-135m.json`, written by `scripts/record/first-run.ts`. */
export interface RealRun {
  version: 1;
  preset: string;
  seed: RunConfig['seed'];
  steps: number;
  /** Means of each step in practice; `thinking` in tokens. */
  practice: { step: number; reward: number; thinking: number }[];
  /** Greedy evaluations. */
  tests: { step: number; thinking: number; accuracy: number }[];
  /** One hard question of the test, answered by the first and by the last evaluation. */
  example: { question: string; before: ShownAnswer; after: ShownAnswer };
}
