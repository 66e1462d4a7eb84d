/** Name of the file that a student hands in: who, which seed, and how far where the run is not finished. */
import type { RunRecord } from '../../run/run-record';

export function handInName(student: string, { config, status, step }: RunRecord): string {
  const who = student.replaceAll(/[^\p{L}\p{N}-]+/gu, '-').replaceAll(/^-+|-+$/g, '') || 'student';
  return `marble-${who}-seed-${config.seed}${status === 'done' ? '' : `-step-${step}`}.marble`;
}
