/**
 * A shortened first run on the real model, by the command and in Chromium, from files and from the Hub, with identical
 * bits.
 */
import { openAsBlob, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { presets } from '../../src/index';
import { unpackRun } from '../../src/share/run-file';
import { hubProfile } from '../e2e/helpers/hub-profile';
import { readStored, rowsOf } from '../e2e/helpers/stored-run';
import { finish, openBrowserForAll, openPage, startRun, visit } from '../e2e/helpers/visitor';
import { startHub, type HubServer } from '../fixtures/servers/hub-server';
import { metricsRows } from '../fixtures/metrics-rows';
import { sharedPath } from '../fixtures/shared';
import { command, installPackage } from '../package/installed';
import { hasRealModel, realModelFile } from './model';

const { model } = presets['first-run-135m'];
const [repository, file] = model.kind === 'hub' ? model.repository.split(':') : [];
const revision = model.kind === 'hub' ? model.revision : '';
const adapter = join(import.meta.dirname, '../../public/adapters/rooms-135m');

/** Three of its eight questions, and one step. With only easy questions, all answers may be right. */
const cut = {
  ...{ 'rollout.promptsPerStep': 3, steps: 1, 'data.rho': 0.5 },
  ...{ 'evaluation.items': 1, 'evaluation.finalItems': 1, 'evaluation.hardItems': 0 },
};
const link = (fields: object): string =>
  `#preset=first-run-135m${Object.entries({ ...cut, ...fields }).map(([name, value]) => `&${name}=${encodeURIComponent(String(value))}`).join('')}`; // prettier-ignore

describe.skipIf(!hasRealModel())('the first run on SmolLM2-135M-Instruct', () => {
  let hub: HubServer;
  openBrowserForAll();
  beforeAll(async () => {
    hub = await startHub({ repository, revision, files: { [file]: sharedPath(realModelFile) } });
  });
  afterAll(() => hub.close());

  it('has the same rows by the command and in Chromium, from files and from the Hub', async () => {
    const project = await installPackage('real-first-run');
    const from = ['--model', sharedPath(realModelFile), '--adapter', adapter, '--backend', 'wasm'];
    const { code, output } = await command(project, 'train', link({}), ...from, '--out', 'run');
    expect(code, output).toBe(0);
    const path = join(project.folder, 'run');
    const expected = stepRows(metricsRows(readFileSync(join(path, 'metrics.csv'), 'utf8')));
    expect(expected).toHaveLength(1);
    expect(Number(expected[0].grad_norm)).toBeGreaterThan(0);
    const { history } = await unpackRun(await openAsBlob(join(path, 'run.marble')));
    expect(history.evals.map(({ verdict }) => verdict?.ending ?? null)).toEqual([null, expect.any(String)]);

    const fromHub = await openPage(await hubProfile(hub), link({}));
    await startRun(fromHub);
    await fromHub.getByRole('button', { name: /^Contact / }).click();
    await fromHub.getByText('This run needs a download of').waitFor();
    await fromHub.getByRole('button', { name: /and train$/ }).click();
    expectSame(await finishedRows(fromHub), expected);

    const fromFiles = await visit(link({ 'model.kind': 'files', 'model.name': 'smollm2' }));
    await fromFiles.getByLabel('Choose the model’s files').setInputFiles([sharedPath(realModelFile)]);
    await startRun(fromFiles);
    await fromFiles.locator('.screen').getByRole('button', { name: 'Train', exact: true }).click();
    expectSame(await finishedRows(fromFiles), expected);
  });
});

const stepRows = (rows: Record<string, string>[]) => rows.filter(({ loss }) => loss !== '');

async function finishedRows(page: Page): Promise<Record<string, number>[]> {
  await finish(page);
  return rowsOf(await readStored(page));
}

/** Compares all common columns; the page records more. */
function expectSame(actual: Record<string, number>[], expected: Record<string, string>[]): void {
  expect(actual).toHaveLength(expected.length);
  expected.forEach((row, i) => {
    const columns = Object.keys(row).filter((column) => row[column] !== '' && column in actual[i]);
    expect(columns.length).toBeGreaterThan(20);
    expect(Object.fromEntries(columns.map((column) => [column, actual[i][column]]))).toEqual(
      Object.fromEntries(columns.map((column) => [column, Number(row[column])])),
    );
  });
}
