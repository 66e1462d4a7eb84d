import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { violations, violationsInBothSchemes } from '../helpers/accessibility';
import { chooseBackend, keptRuns, saved, shortRun, visit, place } from '../helpers/visitor';

/** Two arms of one seed, four steps each, long enough to be observed and interrupted. */
const sweepLink = `${shortRun({
  ...{ steps: 4, 'rollout.promptsPerStep': 16, 'rollout.samplesPerPrompt': 16 },
  ...{ 'evaluation.every': 2, 'evaluation.items': 8 },
})}&sweep.klCoefficient=0,0.1&sweep.seed=1`;

const comparison = (page: Page) => page.getByRole('region', { name: 'Arms compared', exact: true });

describe('a sweep', () => {
  it('opens from a link, trains also after a reload, and is compared', { tags: ['long'] }, async () => {
    const page = await visit();
    await chooseBackend(page, 'wasm');
    await page.evaluate((hash) => (location.hash = hash), sweepLink);
    await page.getByText(/^2 runs: 2 arms of 1 seed, at most about \d+ \w+ on this computer/).waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });

    await page.getByRole('button', { name: 'Start the sweep' }).click();
    await page.getByText(/^Run \d of 2: The ladder: the middle model/).waitFor();
    await comparison(page).waitFor();
    await page.reload();
    const goOn = page.getByRole('button', { name: /^Resume .* by / });
    await goOn.waitFor();
    expect(await violations(page)).toEqual([]);
    await goOn.click();
    await page.getByText('2 of 2 runs ended').waitFor({ timeout: 120_000 });

    const rows = comparison(page).getByRole('row');
    await expect.poll(() => rows.count()).toBe(3);
    expect(await violationsInBothSchemes(page)).toEqual([]);
    const [, first, second] = await rows.allInnerTexts();
    expect(first).toMatch(/^KL penalty 0\s+1\s+(\d [a-z ]+\s+)+\d+ %\s/);
    expect(await page.getByText(/too few runs/i).count()).toBe(1);
    expect(second).toMatch(/^KL penalty 0\.1\s+1\s/);
    const reward = page.getByRole('figure', { name: 'Reward', exact: true });
    expect(await reward.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringContaining('KL penalty 0, seed 1'),
      expect.stringContaining('KL penalty 0.1, seed 1'),
    ]);

    const csv = await saved(page, page.getByRole('button', { name: 'Save as CSV' }));
    expect((await readFile(csv, 'utf8')).trim().split('\r\n')).toHaveLength(3);

    await page.getByText('All 2 runs').click();
    const runs = page.getByRole('region', { name: 'Runs of the sweep' }).getByRole('row');
    expect(await runs.nth(2).innerText()).toMatch(/^KL penalty 0\.1, seed 1\s+0\.1\s+4 of 4\s+not measured/);
    await page.getByRole('button', { name: 'Open KL penalty 0.1, seed 1' }).click();
    await page.locator('.run-head [title*="KL penalty 0.1"], .run-head [title*="kl penalty 0.1"]').waitFor();
    await page.getByRole('tab', { name: 'Runs' }).click();
    // After the reload the form says `automatic`; the sweep keeps its original backend.
    await page.getByText('Runs on the CPU (WebAssembly). It was chosen for this run.').waitFor();
    await page.goBack();
    await comparison(page).waitFor();
    // A lesson has no sweeps, also if it begins here.
    const lesson = page.getByRole('checkbox', { name: /^Lesson/ });
    await lesson.check();
    await comparison(page).waitFor({ state: 'detached' });
    await lesson.uncheck();
    await place(page, 'Sweeps').click();
    await comparison(page).waitFor();

    await page.getByRole('button', { name: /^Delete The ladder/ }).click();
    await page.getByRole('button', { name: 'Delete for good' }).click();
    await comparison(page).waitFor({ state: 'detached' });
    await place(page, 'Train').click();
    expect(await (await keptRuns(page)).locator('li').count()).toBe(2);
  });

  it('continues after a failed run, and shows the reason', { tags: ['long'] }, async () => {
    const hash = shortRun({ steps: 2, 'evaluation.every': 2, 'evaluation.items': 8, 'data.rho': 1 });
    const page = await visit(`${hash}&sweep.dropShortcutRight=1,0&sweep.seed=1&backend=wasm`);
    await page.getByRole('button', { name: 'Start the sweep' }).click();
    await page.getByText('2 of 2 runs ended').waitFor();
    const failure = page.getByText(
      /^leave out questions the shortcut solves 100 %, seed 1 failed at step 0: /,
    );
    await failure.waitFor();
    const words = await failure.innerText();
    expect(await comparison(page).getByRole('row').count()).toBe(2);
    expect(await page.locator('.screen').count()).toBe(0);
    await page.reload();
    await failure.waitFor();
    expect(await failure.innerText()).toBe(words);
    expect(await violations(page)).toEqual([]);
  });
});
