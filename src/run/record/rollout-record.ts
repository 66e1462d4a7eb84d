/** One sampled completion as the page, the store and a run file have it: a schema, and the type read off it. */
import * as v from 'valibot';
import { real } from '../config/config-fields';
import type { RewardParts } from '../../reward/types';
import { flag, listOf, metric, MOST_IN_A_LIST, name, place, step, text } from './record-fields';

const reward: v.GenericSchema<RewardParts> = v.object({
  /** Finite, as the trainer asks of a reward; and no sum of them is too large for a number. */
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

/** What an update gave to each token of a completion and what became of it; one entry per token in each list. */
const tokenChanges = v.pipe(
  v.object({
    /** The text that the token adds. */
    texts: listOf(text, MOST_IN_A_LIST),
    advantages: listOf(metric, MOST_IN_A_LIST),
    /** log p at the run's temperature, in nats, under the policy before the step's updates and after them. */
    before: listOf(metric, MOST_IN_A_LIST),
    after: listOf(metric, MOST_IN_A_LIST),
  }),
  v.check(
    ({ texts, ...columns }) => Object.values(columns).every(({ length }) => length === texts.length),
    'one entry per token in every list',
  ),
);

export type TokenChanges = v.InferOutput<typeof tokenChanges>;

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
  /** Mean over its tokens. */
  advantage: metric,
  /** Of the few that are shown token by token. */
  byToken: v.optional(tokenChanges),
});

export type Rollout = v.InferOutput<typeof rolloutSchema>;
