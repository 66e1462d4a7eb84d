/** Finished runs of each study, with the figures that its rules use. */
import { existsSync, readFileSync } from 'node:fs';
import type { StartReward } from '../../src/run/recording/paid-step';
import type { RunConfig } from '../../src/run/config/config';
import type { OutcomeTable, Verdict } from '../../src/run/record/evaluation';
import { fromOutcomeTable } from '../../src/run/verdict/outcome-table';
import { verdictOf } from '../../src/run/verdict/verdict';
import { lowerBound } from './rules';

export type Study = '2' | '3a' | '3b';
export type Size = '12k' | '25k' | '100k' | '398k';

/** Greedy results of a set whose outcomes are not kept. */
interface Counts {
  count: number;
  correct: number;
  faithful: number;
  meanThinkLength: number;
}

/** Answers to the fixed items of studies 2 and 3a. */
export interface Measurement {
  /** Greedy. */
  benchmark: OutcomeTable;
  hard: OutcomeTable;
  /** The benchmark at temperature 1: one character per item. */
  sampled: { correct: string; meanThinkLength: number };
  world: Counts;
  'order 0': Counts;
  'order 4': Counts;
}

/** A model that a study pretrained. */
interface Start {
  size: Size;
  /** Draws weights and examples: starts of one seed see the same tokens in the same order. */
  seed: number;
  /** Of 32 examples, about 2,400 tokens. */
  steps: number;
}

export const linesOf = (study: Study): string => `docs/study-${study}/runs.jsonl`;

export interface RunLine {
  id: string;
  arm: string;
  start: Start;
  config: RunConfig;
  commit: string;
  date: string;
  seconds: { pretraining: number; all: number };
  modes: StartReward;
  before: Measurement;
  /** The first 200 items of three sets, greedy, after some steps. */
  looks: (Record<'benchmark' | 'hard' | 'world', Counts> & { step: number })[];
  after: Measurement;
  /** One value a training step. */
  steps: Record<string, number[]>;
}

export interface JudgedRun {
  line: RunLine;
  verdict: Verdict;
  /** Greedy accuracy on the hard items. */
  hard: readonly [before: number, after: number];
  /** min(1, W after / W before); null where W before is not surely above chance. */
  kept: number | null;
  d: number;
}

const CHANCE = 0.2;
/** Number of possible answers in the swap world, which tables of the first lines lack. */
const places = ({ correct }: OutcomeTable): Pick<OutcomeTable, 'answers'> => ({
  answers: String(1 / CHANCE).repeat(correct.length),
});

/** The values of a JSONL file; none without the file. */
export function jsonLines<T>(file: string): T[] {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  return lines.map((line) => JSON.parse(line) as T);
}

export const readLines = (study: Study): RunLine[] => jsonLines(linesOf(study));

export function judge(line: RunLine): JudgedRun {
  const { before, after, modes } = line;
  const outcomes = ({ benchmark, hard }: Measurement): ReturnType<typeof fromOutcomeTable> => [
    ...fromOutcomeTable({ ...benchmark, ...places(benchmark) }),
    ...fromOutcomeTable({ ...hard, ...places(hard) }),
  ];
  const [wBefore, wAfter] = [before, after].map(({ hard }) => fractionOf(hard.correct, '1'));
  const reasons = lowerBound(wBefore * before.hard.correct.length, before.hard.correct.length) > CHANCE;
  return {
    line,
    verdict: verdictOf(outcomes(before), outcomes(after), { step: line.config.steps, provisional: false }),
    hard: [wBefore, wAfter],
    kept: reasons ? Math.min(1, wAfter / wBefore) : null,
    d: modes.full - modes.empty,
  };
}

export const fractionOf = (text: string, one: string): number => (text.split(one).length - 1) / text.length;

export const ofSize = (runs: readonly JudgedRun[], size: Size, arm = 'base'): JudgedRun[] =>
  runs.filter(({ line }) => line.start.size === size && line.arm === arm);
