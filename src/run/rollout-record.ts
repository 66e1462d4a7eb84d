/** One sampled completion as the page, the store and a run file have it: a schema, and the type read off it. */
import * as v from 'valibot';
import type { RewardParts } from '../reward/types';
import { count, flag, listOf, metric, text } from './record-fields';

const reward: v.GenericSchema<RewardParts> = v.object({
  total: metric,
  parts: listOf(v.object({ name: text, value: metric, reason: text }), 100),
  correct: flag,
  formatHolds: flag,
  answer: v.nullable(text),
  think: text,
  trace: v.nullable(
    v.object({
      statements: listOf(v.object({ text, verdict: v.picklist(['true', 'false', 'unread']) }), 10_000),
      validity: metric,
      coverage: metric,
    }),
  ),
});

export const rolloutSchema = v.object({
  step: count,
  /** Index of the prompt within the step. */
  group: count,
  sample: count,
  itemId: text,
  prompt: text,
  completion: text,
  order: count,
  goldAnswer: text,
  shortcutAnswer: v.nullable(text),
  tokens: count,
  finished: flag,
  reward,
  advantage: metric,
});

export type Rollout = v.InferOutput<typeof rolloutSchema>;
