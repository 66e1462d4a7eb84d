/** The finished runs of H7. */
import { existsSync, readFileSync } from 'node:fs';
import type { RunConfig } from '../../src/index';
import type { OutcomeTable } from '../../src/run/record/evaluation';
import type { Counts } from './measure';

export const HITOM_LINES = 'docs/study-2/hitom.jsonl';

/** All greedy. */
export interface HiTomMeasurement {
  published: OutcomeTable;
  /** Of our own stories, orders 1 to 3, as they come and those on which the shortcut is wrong. */
  benchmark: OutcomeTable;
  hard: OutcomeTable;
  'order 4': Counts;
}

export interface HiTomLine {
  seed: number;
  config: RunConfig;
  commit: string;
  date: string;
  seconds: number;
  before: HiTomMeasurement;
  after: HiTomMeasurement;
  /** One value a training step. */
  steps: Record<'reward' | 'think/mean_length', number[]>;
}

export function readHiTomLines(): HiTomLine[] {
  if (!existsSync(HITOM_LINES)) return [];
  const lines = readFileSync(HITOM_LINES, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as HiTomLine);
}
