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

const MOST_TOKENS = 65_536;

/** What an update gave to each token of a completion and what became of it; one entry per token in each list. */
const tokenChanges = v.pipe(
  v.object({
    /** The text that the token adds. */
    texts: listOf(text, MOST_TOKENS),
    advantages: listOf(metric, MOST_TOKENS),
    /** log p at the run's temperature, in nats, under the policy before the step's updates and after them. */
    before: listOf(metric, MOST_TOKENS),
    after: listOf(metric, MOST_TOKENS),
  }),
  v.check(
    ({ texts, ...columns }) => Object.values(columns).every(({ length }) => length === texts.length),
    'one entry per token in every list',
  ),
);

export type TokenChanges = v.InferOutput<typeof tokenChanges>;

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
  /** Mean over its tokens. */
  advantage: metric,
  /** Of the few that are shown token by token. */
  byToken: v.optional(tokenChanges),
});

export type Rollout = v.InferOutput<typeof rolloutSchema>;
