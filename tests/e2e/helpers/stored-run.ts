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

/** Every run, oldest first; runs in the page. */
export async function readStored(): Promise<StoredRun[]> {
  const opened = indexedDB.open('marble');
  await new Promise((resolve) => (opened.onsuccess = resolve));
  const store = opened.result.transaction('marble').objectStore('marble');
  const all = (kind: string, id?: string): Promise<unknown[]> => {
    const prefix = id === undefined ? [kind] : [kind, id];
    const found = store.getAll(IDBKeyRange.bound(prefix, [...prefix, []]));
    return new Promise((resolve) => (found.onsuccess = () => resolve(found.result)));
  };
  const records = (await all('run')) as {
    id: string;
    createdAt: number;
    config: { seed: number };
    step: number;
    checkpointStep: number | null;
  }[];
  records.sort((a, b) => a.createdAt - b.createdAt);
  const rows = await Promise.all(records.map(({ id }) => all('step', id)));
  opened.result.close();
  return records.map(({ config, step, checkpointStep }, index) => ({
    ...{ seed: config.seed, step, checkpointStep },
    rows: rows[index] as Row[],
  }));
}

/** Steps of all runs that stand in checkpoints. */
export const stepsKept = (runs: readonly StoredRun[]): number =>
  runs.reduce((sum, { checkpointStep }) => sum + (checkpointStep ?? 0), 0);

/** As `stepsKept`, without reading a row; runs in the page. */
async function countKept(): Promise<number> {
  const opened = indexedDB.open('marble');
  await new Promise((resolve) => (opened.onsuccess = resolve));
  const store = opened.result.transaction('marble').objectStore('marble');
  const found = store.getAll(IDBKeyRange.bound(['run'], ['run', []]));
  await new Promise((resolve) => (found.onsuccess = resolve));
  opened.result.close();
  const records = found.result as { checkpointStep: number | null }[];
  return records.reduce((sum, { checkpointStep }) => sum + (checkpointStep ?? 0), 0);
}

/** Waits until so many steps, of all runs together, stand in checkpoints: 2 minutes, and ten seconds more for each. */
export async function keepSteps(page: Page, least: number): Promise<void> {
  const patience = { timeout: 120_000 + least * 10_000, interval: 20 };
  await expect.poll(() => page.evaluate(countKept), patience).toBeGreaterThanOrEqual(least);
}

/** Every step's row of the oldest run, or of one by its seed, without what a clock has measured. */
export function rowsOf(runs: readonly StoredRun[], seed = runs[0].seed): Row[] {
  const rows = runs.find((run) => run.seed === seed)?.rows ?? [];
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !timingMetrics.includes(name))),
  );
}
