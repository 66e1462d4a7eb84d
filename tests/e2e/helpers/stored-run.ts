/** What the browser's storage holds of runs, read past the page. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { timingMetrics } from '../../../src/run/record/metrics';

type Row = Record<string, number>;

export interface StoredRun {
  seed: number;
  step: number;
  checkpointStep: number | null;
  /** Of every step. */
  rows: Row[];
}

/** All records of a kind, or of one run those of a kind. */
export function readAll<T>(page: Page, ...prefix: [kind: string, id?: string]): Promise<T[]> {
  return page.evaluate(async (first) => {
    const opened = indexedDB.open('marble');
    await new Promise((resolve) => (opened.onsuccess = resolve));
    const store = opened.result.transaction('marble').objectStore('marble');
    const found = store.getAll(IDBKeyRange.bound(first, [...first, []]));
    await new Promise((resolve) => (found.onsuccess = resolve));
    opened.result.close();
    return found.result as T[];
  }, prefix);
}

interface KeptRecord {
  id: string;
  createdAt: number;
  config: { seed: number };
  step: number;
  checkpointStep: number | null;
}

/** Every run, oldest first. */
export async function readStored(page: Page): Promise<StoredRun[]> {
  const records = await readAll<KeptRecord>(page, 'run');
  records.sort((a, b) => a.createdAt - b.createdAt);
  return Promise.all(
    records.map(async ({ id, config, step, checkpointStep }) => ({
      ...{ seed: config.seed, step, checkpointStep },
      rows: await readAll<Row>(page, 'step', id),
    })),
  );
}

/** Steps of all runs that stand in checkpoints. */
export const stepsKept = (runs: readonly Pick<StoredRun, 'checkpointStep'>[]): number =>
  runs.reduce((sum, { checkpointStep }) => sum + (checkpointStep ?? 0), 0);

/** Waits until so many steps, of all runs together, stand in checkpoints: 2 minutes, and ten seconds more for each. */
export async function keepSteps(page: Page, least: number): Promise<void> {
  const patience = { timeout: 120_000 + least * 10_000, interval: 20 };
  const kept = async () => stepsKept(await readAll<KeptRecord>(page, 'run'));
  await expect.poll(kept, patience).toBeGreaterThanOrEqual(least);
}

/** Every step's row of the oldest run, or of one by its seed, without what a clock has measured. */
export function rowsOf(runs: readonly StoredRun[], seed = runs[0].seed): Row[] {
  const rows = runs.find((run) => run.seed === seed)?.rows ?? [];
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !timingMetrics.includes(name))),
  );
}
