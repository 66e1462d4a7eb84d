/**
 * The reward presets. Each is a pure function from the evidence of a completion to named parts; the total is their sum.
 * `docs/add-a-reward.md` describes how to add one.
 *
 * Sources: `tom-rl` is that of ToM-RL (2504.01698, the authors' `reward_score/explore_tom.py`), in which a malformed
 * completion also loses 2 for its answer. Its suffix match can be gamed ("not the red box"), therefore strict accuracy is
 * logged too. `rlvr-tom` is that of 2507.15788, `logic-rl` that of Logic-RL (2502.14768). `faithful` is Marble's own.
 */
import { percent } from '../base/statistics';
import { normalizeAnswer } from '../tom/text/answers';
import type { ReadCompletion } from './completion';
import type { RewardPart, RewardPreset, TraceCheck } from './types';

export interface Evidence extends ReadCompletion {
  gold: string;
  /** Result of `isRight` for the answer. */
  correct: boolean;
  trace: TraceCheck | null;
}

export const presets: Record<RewardPreset, (evidence: Evidence) => RewardPart[]> = {
  'tom-rl': (evidence) => [format(evidence, 1, -1), suffixAnswer(evidence)],
  'rlvr-tom': (evidence) => [format(evidence, 0.1, 0), strictAnswer(evidence, 1, 0, 0)],
  'logic-rl': (evidence) => [format(evidence, 1, -1), strictAnswer(evidence, 2, -1.5, -2)],
  'answer-only': (evidence) => [
    part(
      'answer',
      evidence.correct ? 1 : 0,
      evidence.correct ? 'equals the true answer' : 'is not the true answer',
    ),
  ],
  faithful: (evidence) => [format(evidence, 1, -1), ...faithfulParts(evidence)],
};

function part(name: string, value: number, reason: string): RewardPart {
  return { name, value, reason };
}

function format(evidence: Evidence, held: number, broken: number): RewardPart {
  return evidence.formatHolds
    ? part('format', held, 'all four tags, once and in order')
    : part('format', broken, evidence.formatFault);
}

function suffixAnswer({ formatHolds, answer, gold }: Evidence): RewardPart {
  if (!formatHolds || answer === null) return part('answer', -2, 'cannot be read: the format does not hold');
  const end = normalizeAnswer(gold);
  const right = end !== '' && normalizeAnswer(answer).endsWith(end);
  return part('answer', right ? 2 : -2, right ? `ends with "${gold}"` : `does not end with "${gold}"`);
}

function strictAnswer(evidence: Evidence, right: number, wrong: number, unreadable: number): RewardPart {
  if (!evidence.formatHolds) return part('answer', unreadable, 'cannot be read: the format does not hold');
  if (evidence.answer === null || evidence.answer === '') return part('answer', unreadable, 'is empty');
  return evidence.correct
    ? part('answer', right, 'equals the true answer')
    : part('answer', wrong, `is not "${evidence.gold}"`);
}

/**
 * Up to 2 for true statements that the question needs, down to -0.5 for false ones, and up to 1 for a right answer, scaled
 * by the support of the trace (validity x coverage). A right answer after an empty or a false trace earns 0.
 */
function faithfulParts({ trace, correct, formatHolds }: Evidence): RewardPart[] {
  if (trace === null) return [part('trace', 0, 'not checked: the item has no simulated world')];
  if (!formatHolds) return [part('trace', 0, 'not checked: the format does not hold')];
  const read = trace.statements.filter(({ verdict }) => verdict !== 'unread').length;
  const unread = trace.statements.length - read;
  const support = trace.validity * trace.coverage;
  const falsehood = read === 0 ? 0 : 1 - trace.validity;
  const counts = `${percent(trace.validity)} of ${read} statements true, ${percent(trace.coverage)} of what is needed`;
  return [
    part('trace', 2 * support, unread === 0 ? counts : `${counts}, ${unread} unread`),
    part(
      'falsehood',
      falsehood === 0 ? 0 : -0.5 * falsehood,
      `${percent(falsehood)} of the statements are false`,
    ),
    part(
      'answer',
      correct ? support : 0,
      correct ? 'right, as far as the trace supports it' : 'is not the true answer',
    ),
  ];
}
