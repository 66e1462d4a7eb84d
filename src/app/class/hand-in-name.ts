/** What a student's file is called. */
import type { RunRecord } from '../../run/record/run-record';

/** Who, which seed, and how far where the run is not finished. */
export function handInName(student: string, { config, status, step }: RunRecord): string {
  const who = student.replaceAll(/[^\p{L}\p{N}-]+/gu, '-').replaceAll(/^-+|-+$/g, '') || 'student';
  return `marble-${who}-seed-${config.seed}${status === 'done' ? '' : `-step-${step}`}.marble`;
}
