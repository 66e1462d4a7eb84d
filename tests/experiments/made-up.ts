/** Lines of runs with known behaviour, as scripts/experiments/job.ts writes them. */
import { createRandom } from '../../src/random';
import type { RunLine } from '../../scripts/experiments/lines';
import type { RunPlan } from '../../scripts/experiments/plan';

/** How a model answers: probabilities, and think tokens. */
export interface Behaviour {
  right: number;
  wrong: number;
  faithful: number;
  tokens: number;
}

export const reasoner: Behaviour = { right: 0.5, wrong: 0.45, faithful: 0.5, tokens: 20 };
export const collapsed: Behaviour = { right: 0.98, wrong: 0.03, faithful: 0.01, tokens: 2 };
export const decorated: Behaviour = { right: 0.98, wrong: 0.03, faithful: 0.05, tokens: 20 };
export const mute: Behaviour = { right: 0.5, wrong: 0.2, faithful: 0.02, tokens: 20 };

const ITEMS = 1200;

export interface Course {
  before?: Behaviour;
  after: Behaviour;
  /** Sampled reward of the full trace minus that of the empty one. */
  gap?: number;
  /** Step at which the think length halves. */
  halvedAt?: number;
  /** Added to the accuracy after training, by order. */
  orders?: Record<number, number>;
}

type Measured = RunLine['before'];

function measured(behaviour: Behaviour, seed: number, orders: Record<number, number> = {}): Measured {
  const random = createRandom(seed, 3);
  const texts = { correct: '', trace: '', shortcut: '', order: '' };
  let sampled = '';
  for (let item = 0; item < ITEMS; item++) {
    const order = 1 + (item % 3);
    const shortcut = item % 10 !== 0;
    const chance = (shortcut ? behaviour.right : behaviour.wrong) + (orders[order] ?? 0);
    texts.correct += random.uniform() < chance ? '1' : '0';
    texts.trace += random.uniform() < behaviour.faithful ? 'f' : 'x';
    texts.shortcut += shortcut ? '1' : '0';
    texts.order += String(order);
    sampled += random.uniform() < chance ? '1' : '0';
  }
  const right = 0.9 * behaviour.right + 0.1 * behaviour.wrong;
  return {
    greedy: { ...texts, thinkTokens: Array.from({ length: ITEMS }, () => behaviour.tokens) },
    sampled: { correct: sampled, meanThinkLength: behaviour.tokens },
    others: { 'other world': counts(1000, right), 'order 4': counts(300, right + (orders[4] ?? 0)) },
  };
}

function counts(count: number, fraction: number): Measured['others'][string] {
  const correct = Math.round(count * fraction);
  return {
    count,
    correct,
    faithful: 0,
    shortcutRight: [correct, count],
    shortcutWrong: [0, 0],
    byOrder: {},
    meanThinkLength: 1,
  };
}

let drawn = 0;

export function lineOf(plan: RunPlan, course: Course): RunLine {
  const { before = reasoner, after, gap = 0, halvedAt = 100, orders } = course;
  drawn += 2;
  return {
    id: plan.id,
    config: { seed: plan.config.seed, steps: plan.config.steps },
    seconds: { pretraining: null, training: 60, all: 90 },
    forecast: plan.thinkShut ? null : { empty: 0.5, full: 0.5 + gap, count: 1000 },
    before: measured(before, 1000 + drawn),
    looks: [25, 125].map((step) => ({ step, benchmark: counts(500, 0.6), otherWorld: counts(300, 0.5) })),
    after: measured(after, 1001 + drawn, orders),
    steps: {
      accuracy: Array.from({ length: 150 }, () => 0.5),
      'think/mean_length': Array.from({ length: 150 }, (_, step) => (step < halvedAt ? 20 : 2)),
    },
  };
}
