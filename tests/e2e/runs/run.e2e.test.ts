import { describe, expect, it, vi } from 'vitest';
import { violations } from '../helpers/accessibility';
import {
  finish,
  keptRuns,
  longRun,
  newProfile,
  openPage,
  openSettings,
  reachStep,
  runToEnd,
  shortRun,
  startButton,
  startRun,
  status,
  visit,
} from '../helpers/visitor';

/** Choices that are wider than their list, excluding its arrow; runs in the page. */
function cutChoices(lists: string): string[] {
  const arrow = 18;
  const pen = document.createElement('canvas').getContext('2d')!;
  return [...document.querySelectorAll<HTMLSelectElement>(lists)].flatMap((list) => {
    const { font, paddingLeft, paddingRight } = getComputedStyle(list);
    const room = list.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight) - arrow;
    pen.font = font;
    const texts = [...list.options].map(({ text }) => text);
    return list.clientWidth === 0 ? [] : texts.filter((text) => pen.measureText(text).width > room);
  });
}

describe('a run in the page', () => {
  it('has settings in groups, explains each choice, and updates the address', async () => {
    const page = await visit(shortRun({ 'algorithm.kl.place': 'loss' }));
    await page.getByRole('heading', { name: /^You were sent/ }).waitFor();
    await page.locator('.settings > summary').click();
    const advanced = page.locator('.advanced > summary');
    await advanced.click();
    const place = page.getByLabel('Place of the KL penalty', { exact: true });
    expect(await place.inputValue()).toBe('loss');
    await page.getByText('changed from In the reward').waitFor();
    await place.selectOption('reward');
    await page.getByText('changed from In the reward').waitFor({ state: 'detached' });
    for (const name of ['Questions', 'Reward', 'Learning', 'Answers of a step', 'Computer']) {
      await page.getByRole('group', { name, exact: true }).waitFor();
    }
    const steps = page.getByLabel('Steps', { exact: true });
    expect(await steps.inputValue()).toBe('10');
    await steps.fill('20');
    await steps.press('Tab');
    await page.locator('.about').getByText('20 steps of 8 answers').waitFor();
    const prompts = page.getByLabel('Prompts per step', { exact: true });
    await prompts.fill('4');
    await prompts.press('Tab');
    await page.locator('.about').getByText('20 steps of 16 answers').waitFor();
    await page.getByLabel('Algorithm', { exact: true }).selectOption('grpo');
    await page.locator('.about').getByText('minus the mean of its prompt, over the spread of its').waitFor();
    await steps.fill('none');
    await steps.press('Tab');
    await page.getByText('steps is none; it must be a whole number').waitFor();
    expect(await startButton(page).isDisabled()).toBe(true);
    await steps.fill('40');
    await steps.press('Tab');
    await page.waitForURL(/&steps=40&/);
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await page.evaluate(cutChoices, 'select')).toEqual([]);
    }
    expect(await violations(page)).toEqual([]);
    // The visitor's own settings do not count as received from another person, even if their address is entered again.
    await page.goto(page.url());
    await page.reload();
    await page.locator('.about').getByText('40 steps of 16 answers').waitFor();
    expect(page.url()).toMatch(/algorithm\.name=grpo/);
    expect(await page.getByRole('heading', { name: /^You were sent/ }).count()).toBe(0);
  });

  it('has one row of knobs that an experiment fills, and a task brings a model that reads it', async () => {
    const page = await visit('#run', { viewport: { width: 1280, height: 800 } });
    const knobs = ['Model', 'Task', 'Paid for', 'Algorithm', 'Steps'];
    const values = (): Promise<string[]> =>
      Promise.all(knobs.map((name) => page.getByLabel(name, { exact: true }).inputValue()));
    await startButton(page).waitFor();
    expect(await values()).toEqual(['ladder-25k', 'swap', 'logic-rl', 'reinforce++', '60']);
    const lines = (): Promise<number> =>
      page.locator('.run-row').evaluate((row) => {
        const bottoms = [...row.children].map((child) => child.getBoundingClientRect().bottom);
        return new Set(bottoms.map(Math.round)).size;
      });
    expect(await lines()).toBe(1);

    await page.getByText('Real models', { exact: true }).click();
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await page.getByRole('button', { name: 'ToM-RL at full size' }).click();
    expect(await values()).toEqual(['first-run-0.5b', 'hitom-exploretom', 'tom-rl', 'grpo', '800']);
    const hasFocus = () => startButton(page).evaluate((button) => document.activeElement === button);
    await expect.poll(hasFocus).toBe(true);
    const { y, height } = (await startButton(page).boundingBox())!;
    expect([y >= 0, y + height <= 800]).toEqual([true, true]);
    await startButton(page).getByText('about').waitFor();
    expect(await page.evaluate(cutChoices, '.knob select')).toEqual([]);
    expect(await lines()).toBe(1);

    await page.getByLabel('Model', { exact: true }).selectOption('ladder-12k');
    expect(await values()).toEqual(['ladder-12k', 'swap', 'logic-rl', 'reinforce++', '60']);
    await page.getByLabel('Task', { exact: true }).selectOption('tomi');
    expect(await values()).toEqual(['first-run-135m', 'tomi', 'logic-rl', 'reinforce++', '12']);
    await page.waitForURL(/data\.source=tomi/);
    await page.getByText('First run on a real model, changed.').waitFor();
    await page.getByRole('button', { name: 'Undo the changes' }).click();
    expect(await values()).toEqual(['first-run-135m', 'rooms', 'logic-rl', 'reinforce++', '12']);
    expect(await violations(page)).toEqual([]);
  });

  // sigkill.e2e.test.ts compares the rows of a resumed run with those of one that never stopped
  it('trains in one tab only, and resumes there', { tags: ['long'] }, async () => {
    const profile = await newProfile();
    const page = await openPage(profile, longRun());
    await startRun(page);
    await reachStep(page, 1);

    const watcher = await openPage(profile, '#v=1&preset=ladder-12k&steps=40');
    await startButton(watcher).click();
    await watcher.getByRole('heading', { name: 'Another tab of this browser is training.' }).waitFor();
    // Its link keeps its settings, and nothing alarms.
    expect(await watcher.locator('.screen').getAttribute('role')).toBe('status');
    await watcher.waitForTimeout(1000); // the address follows the form
    expect(watcher.url()).toMatch(/preset=ladder-12k&steps=40$/);

    await page.bringToFront();
    await page.getByRole('button', { name: 'Pause' }).click();
    await status(page).getByText('Paused after step').waitFor();
    const before = Number(/step (\d+)/.exec(await status(page).innerText())![1]);
    await page.getByRole('button', { name: 'Step', exact: true }).click();
    await status(page)
      .getByText(`Paused after step ${before + 1}`)
      .waitFor();
    await page.reload();
    const goOn = page.getByRole('button', { name: `from step ${before + 1}` }).first();
    await goOn.waitFor();
    expect(await page.locator('.run-panel').count()).toBe(0);
    await goOn.click();
    await reachStep(page, before + 2);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: /^Resume from step/ }).waitFor();
    await watcher.getByRole('button', { name: 'Back to the page' }).click();
    await startButton(watcher).click();
    await reachStep(watcher, 1);
  });

  it('closes the settings when it starts, pauses before the first update if its rewards have no signal, explains that with two answers, and continues', async () => {
    const page = await visit(shortRun({ 'rollout.maxNewTokens': 2 }));
    await openSettings(page);
    const learning = page.getByRole('group', { name: 'Learning', exact: true });
    await learning.waitFor();
    await startRun(page);
    await status(page).getByText('Paused').waitFor();
    expect(await learning.isVisible()).toBe(false);
    const alert = page.locator('.run-panel .alerts');
    await alert
      .getByText(/earned the same \(-3\)\. Two of the answers: “.*” and “.*”\. Allow longer answers/)
      .waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Resume', exact: true }).click();
    await finish(page);
    expect(await alert.count()).toBe(0);
  });

  it('overlays runs, and deletes permanently', { tags: ['long'] }, async () => {
    const page = await visit(shortRun({ steps: 2 }));
    await runToEnd(page);
    await page.getByRole('button', { name: 'Another seed', exact: true }).click();
    await page.locator('.run-panel h2').getByText('The ladder: the middle model, seed 4').waitFor();
    await (await keptRuns(page)).locator('li').nth(1).waitFor();
    await finish(page);
    // Its tabs replace those of the previous run asynchronously.
    const choose = async (): Promise<void> => {
      for (const row of await (await keptRuns(page)).locator('li').all())
        await row.getByRole('checkbox').check({ timeout: 5000 });
    };
    await vi.waitFor(choose, { timeout: 60_000, interval: 200 });
    await page.getByRole('tab', { name: 'Curves and answers' }).click();
    await page
      .locator('.chart')
      .first()
      .getByRole('listitem')
      .filter({ hasText: /^The ladder: the middle model, seed 3/ })
      .first()
      .waitFor();

    await keptRuns(page);
    await page.locator('.runs li').first().getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete for good' }).click();
    await expect.poll(() => page.locator('.runs li').count()).toBe(1);
  });
});
