/** Schema and inferred type of a sampled completion, for the page, the store and run files. */
import * as v from 'valibot';
import { real } from '../config/field-schemas';
import type { RewardParts } from '../../reward/types';
import { flag, listOf, metric, name, place, step, text } from './record-fields';

const reward: v.GenericSchema<RewardParts> = v.object({
  /** Finite, as the trainer requires. The bounds keep sums finite. */
  total: real(-1e6, 1e6),
  parts: listOf(v.object({ name, value: metric, reason: text }), 100),
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
  step,
  /** Index of the prompt within the step. */
  group: place,
  sample: place,
  itemId: name,
  prompt: text,
  completion: text,
  order: place,
  goldAnswer: text,
  shortcutAnswer: v.nullable(text),
  tokens: place,
  finished: flag,
  reward,
  /** Mean over the tokens. */
  advantage: metric,
});

export type Rollout = v.InferOutput<typeof rolloutSchema>;
