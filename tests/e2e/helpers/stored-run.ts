/** Reads runs from the browser's storage directly, without the page's code. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { timingMetrics } from '../../../src/run/record/metrics';

type Row = Record<string, number>;

export interface StoredRun {
  seed: number;
  step: number;
  checkpointStep: number | null;
  /** One row for each step. */
  rows: Row[];
}

/** All records of a kind, or those of one run. */
export function readAll<T>(
  page: Page,
  prefix: [kind: string, id?: string],
  database = 'marble',
): Promise<T[]> {
  return page.evaluate(
    async ([first, name]) => {
      const opened = indexedDB.open(name);
      await new Promise((resolve) => (opened.onsuccess = resolve));
      const store = opened.result.transaction('marble').objectStore('marble');
      const request = store.getAll(IDBKeyRange.bound(first, [...first, []]));
      await new Promise((resolve) => (request.onsuccess = resolve));
      opened.result.close();
      return request.result as T[];
    },
    [prefix, database] as const,
  );
}

interface KeptRecord {
  id: string;
  createdAt: number;
  config: { seed: number };
  step: number;
  checkpointStep: number | null;
}

/** All runs, oldest first. */
export async function readStored(page: Page): Promise<StoredRun[]> {
  const records = await readAll<KeptRecord>(page, ['run']);
  records.sort((a, b) => a.createdAt - b.createdAt);
  return Promise.all(
    records.map(async ({ id, config, step, checkpointStep }) => ({
      ...{ seed: config.seed, step, checkpointStep },
      rows: await readAll<Row>(page, ['step', id]),
    })),
  );
}

/** Total number of steps in the checkpoints of all runs. */
export const stepsKept = (runs: readonly Pick<StoredRun, 'checkpointStep'>[]): number =>
  runs.reduce((sum, { checkpointStep }) => sum + (checkpointStep ?? 0), 0);

/**
 * Waits until the checkpoints of all runs hold this number of steps. Timeout: 2 minutes plus ten seconds for each step.
 */
export async function keepSteps(page: Page, least: number): Promise<void> {
  const patience = { timeout: 120_000 + least * 10_000, interval: 20 };
  const total = async () => stepsKept(await readAll<KeptRecord>(page, ['run']));
  await expect.poll(total, patience).toBeGreaterThanOrEqual(least);
}

/** The rows of the oldest run, or of the run with this seed, without wall-clock metrics. */
export function rowsOf(runs: readonly StoredRun[], seed = runs[0].seed): Row[] {
  const rows = runs.find((run) => run.seed === seed)?.rows ?? [];
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !timingMetrics.includes(name))),
  );
}
