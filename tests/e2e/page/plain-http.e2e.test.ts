/**
 * The page served from a laptop in the room: over plain http, under a name that is not localhost.
 *
 * @module-tag long
 */
import { openAsBlob } from 'node:fs';
import { expect, inject, it } from 'vitest';
import { unpackRun } from '../../../src/share/run-file';
import { newProfile, useFlags, openPage, runToEnd, saved, shortRun } from '../helpers/visitor';

useFlags(['--host-resolver-rules=MAP classroom.test localhost']);

it('a page over plain http trains on the CPU, keeps the run over a reload, and saves it for the teacher', async () => {
  const { port } = new URL(inject('address'));
  const hash = `${shortRun({ steps: 4, 'evaluation.every': 4 })}&class=30`;
  const page = await openPage(await newProfile(), hash, `http://classroom.test:${port}/`);
  expect(await page.evaluate(() => [isSecureContext, 'locks' in navigator, 'gpu' in navigator])).toEqual([
    false,
    false,
    false,
  ]);
  await page.getByText('This page was opened over plain http').waitFor();
  await page.getByLabel('Your number').fill('7');
  await page.getByRole('button', { name: 'Take this seat' }).click();
  await runToEnd(page, 'automatic');
  await page.reload();
  await page.getByRole('button', { name: /^Open Seat 7: The ladder: the middle model/ }).click();
  const path = await saved(page, page.getByRole('button', { name: 'Save the file for your teacher' }));
  const { record, steps } = (await unpackRun(await openAsBlob(path))).history;
  expect([record.class?.seat, record.status, steps.length]).toEqual(['7', 'done', 4]);
  expect(record.machine).toMatchObject({ backend: { backend: 'wasm' } });
});
