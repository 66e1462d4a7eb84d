import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, inject, it } from 'vitest';
import { violationsInBothSchemes } from '../helpers/accessibility';
import { newProfile, openPage, runToEnd, shortRun, startButton, visit } from '../helpers/visitor';

// tests/share/link.test.ts tests which links are refused, and with which messages.
it('an invalid link is refused by name; for a valid one the page plays its recording or shows its plan and the ignored settings', async () => {
  const page = await visit(shortRun({ steps: 1e9 }));
  const follow = (to: string) => page.evaluate((hash) => (location.hash = hash), to);
  const screen = page.getByRole('alert');
  await screen.getByRole('heading', { name: 'steps is 1000000000' }).waitFor();
  expect(await screen.innerText()).toMatch(/steps is 1000000000; .* 1 to \d+/);
  await screen.getByRole('button', { name: 'Start from the default settings' }).click();
  expect(await screen.count()).toBe(0);
  await page.locator('.about').getByText('60 steps of 128 answers').waitFor();
  expect(await startButton(page).isVisible()).toBe(true);
  await follow(`${shortRun()}&rewardCode=alert(1)`);
  await page.getByText('has left out: rewardCode').waitFor();
  await page.locator('.about').getByText('10 steps of 8 answers').waitFor();
  await follow(shortRun({ 'reward.custom': 'brevity' }));
  await page.getByText('the sender’s own reward “brevity”: this page cannot repeat the run').waitFor();
  await startButton(page).click();
  await page.locator('.screen').getByText('neither a link nor a run’s file holds').waitFor();

  await follow('#v=1&preset=ladder-12k');
  const recording = page.locator('.recording');
  await recording.getByText('“The ladder: the small model”. This is how your own run will look.').waitFor();
  await follow('#v=1&preset=swap-faithful');
  await recording.waitFor({ state: 'detached' });
  await page.getByRole('region', { name: 'You were sent' }).waitFor();
  // Once: the row of settings says what the experiment is.
  const asked = page
    .locator(':is(.shared-link, .about)')
    .getByText('Does paying for true statements keep the reasoning?');
  await asked.waitFor();
  expect(await asked.count()).toBe(1);
  await page.getByText('true statements up to 2').first().waitFor();
});

it('accessibility has no axe violation in light and dark', async () => {
  const profile = await newProfile();
  const start = await openPage(profile);
  await startButton(start).waitFor();
  await start.evaluate(() => document.querySelectorAll('details').forEach((part) => (part.open = true)));
  expect(await violationsInBothSchemes(start)).toEqual([]);
  await start.close();

  const wrong = await openPage(profile, '#nonsense');
  await wrong.getByRole('alert').waitFor();
  expect(await violationsInBothSchemes(wrong)).toEqual([]);
  await wrong.close();

  const page = await openPage(profile, shortRun({ steps: 3, 'evaluation.every': 1 }));
  await runToEnd(page);
  await page.evaluate(() => document.querySelectorAll('details').forEach((part) => (part.open = true)));
  expect(await violationsInBothSchemes(page)).toEqual([]);
});

describe('the build', () => {
  const assets = join(inject('folder'), 'assets');
  const names = readdirSync(assets).filter((name) => name.endsWith('.js'));
  const named = (start: string): string[] => names.filter((name) => name.startsWith(start));

  /** Compressed kilobytes of these scripts and of their static imports. */
  function size(from: readonly string[]): number {
    let bytes = 0;
    const scripts = new Set(from);
    for (const name of scripts) {
      const script = readFileSync(join(assets, name));
      bytes += gzipSync(script, { level: 9 }).length;
      const imports = script.toString().matchAll(/(from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g);
      for (const [, , target] of imports) scripts.add(target);
    }
    return bytes / 1000;
  }

  it('has a main bundle of at most 60 kB, compressed', () => {
    const main = named('index-');
    expect(main).toHaveLength(1);
    expect(size(main)).toBeLessThanOrEqual(60);
  });

  it.each([
    ['webgpu', 'wgsl', 236],
    ['wasm', 'wasm', 232],
  ])('has a worker on %s with kernels in %s of at most %i kB, compressed', (backend, kernels, most) => {
    const [worker] = named('trainer.worker-');
    const chunks = [...named(`backend-${backend}-`), ...named(`kernels-${kernels}-`)];
    expect(chunks).toHaveLength(2);
    expect(size([worker, ...named('library-'), ...chunks])).toBeLessThanOrEqual(most);
  });

  it('reports a part that the network does not deliver', async () => {
    const profile = await newProfile();
    const page = await openPage(profile);
    await startButton(page).waitFor();
    await expect.poll(() => startButton(page).innerText()).toMatch(/^Train, about/); // the plan needs parts
    await page.waitForLoadState('networkidle'); // parts that are prefetched
    await profile.setOffline(true);
    await page.getByRole('button', { name: 'Sweeps' }).click();
    await page.getByText(/A part of this page could not be fetched: .* or the network is down/).waitFor();
    expect(await page.getByRole('button', { name: 'Reload the page' }).count()).toBe(1);
    expect(await page.locator('.screen').count()).toBe(0);
  });
});
