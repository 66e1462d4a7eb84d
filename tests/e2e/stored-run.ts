/** What the browser's storage holds of the newest run, read past the page. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { timingMetrics } from '../../src/run/metrics';

export interface StoredRun {
  step: number;
  checkpointStep: number | null;
  rows: Record<string, number>[];
}

/** Runs in the page. */
export async function readStored(): Promise<StoredRun> {
  const opened = indexedDB.open('marble');
  await new Promise((resolve) => (opened.onsuccess = resolve));
  const store = opened.result.transaction('marble').objectStore('marble');
  const all = (kind: string): Promise<unknown[]> => {
    const found = store.getAll(IDBKeyRange.bound([kind], [kind, []]));
    return new Promise((resolve) => (found.onsuccess = () => resolve(found.result)));
  };
  const [runs, rows] = await Promise.all([all('run'), all('step')]);
  opened.result.close();
  const [{ step, checkpointStep }] = runs as StoredRun[];
  return { step, checkpointStep, rows: rows as Record<string, number>[] };
}

/** Waits until the storage holds a checkpoint of the newest run at this step or a later one. */
export async function keepCheckpoint(page: Page, least: number): Promise<void> {
  const kept = async (): Promise<number> => (await page.evaluate(readStored)).checkpointStep ?? 0;
  await expect.poll(kept, { timeout: 120_000, interval: 20 }).toBeGreaterThanOrEqual(least);
}

/** Every step's row, without what a clock has measured. */
export async function rowsOf(page: Page): Promise<Record<string, number>[]> {
  const { rows } = await page.evaluate(readStored);
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !timingMetrics.includes(name))),
  );
}
