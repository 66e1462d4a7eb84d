import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { violations } from '../helpers/accessibility';
import { chooseBackend, finish, shortRun, startButton, visit } from '../helpers/visitor';

/** Presses Tab until an element with this name has the focus; each focused element must be visible. */
async function tabTo(page: Page, name: string | RegExp, most = 120): Promise<void> {
  for (let pressed = 0; pressed < most; pressed++) {
    await page.keyboard.press('Tab');
    const { words, isInSight } = await page.evaluate(() => {
      const element = document.activeElement!;
      const { left, top, right, bottom } = element.getBoundingClientRect();
      return {
        words: element.getAttribute('aria-label') ?? element.textContent.trim(),
        isInSight: right > 0 && bottom > 0 && left < innerWidth && top < innerHeight,
      };
    });
    expect(isInSight, words).toBe(true);
    if (typeof name === 'string' ? words === name : name.test(words)) return;
  }
  throw new Error(`${most} presses of Tab do not reach ${name}.`);
}

it('the keyboard alone is enough from a link through a run to its citation', async () => {
  const page = await visit(`${shortRun({ preset: 'swap-shortcut', steps: 3 })}&backend=wasm`, {
    viewport: { width: 1280, height: 800 },
  });
  await page.getByRole('heading', { name: /^You were sent/ }).waitFor();
  await expect.poll(() => startButton(page).innerText()).toMatch(/^Train, about/);
  await tabTo(page, /^Train, about/);
  await page.keyboard.press('Enter');
  await finish(page);

  await tabTo(page, /^Reward over 3 steps, by arrow keys/);
  await page.keyboard.press('Home');
  const slider = page.getByRole('slider', { name: 'Step' });
  await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe('step 1 of 3');

  await tabTo(page, 'Curves and answers');
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  await page.getByLabel('Entry for BibTeX').waitFor();
  expect(await violations(page)).toEqual([]);
});

it(
  'the focus moves to the button that replaces a pressed one, and only tenths of the way are spoken',
  { tags: ['long'] },
  async () => {
    const page = await visit(shortRun({ preset: 'swap-shortcut', steps: 40, 'evaluation.hardItems': 40 }));
    await chooseBackend(page, 'wasm');
    await page.evaluate(() => {
      const spoken: string[] = [];
      Object.assign(globalThis, { spoken });
      new MutationObserver(() => {
        const texts = [...document.querySelectorAll('[role=status], [aria-live]')].map(
          ({ textContent }) => textContent,
        );
        const now = texts.join(' | ');
        if (spoken.at(-1) !== now) spoken.push(now);
      }).observe(document.body, { childList: true, characterData: true, subtree: true });
    });
    const focused = (): Promise<string> =>
      page.evaluate(() => document.activeElement?.textContent.trim() ?? '');
    await startButton(page).focus();
    for (const next of ['Pause', 'Resume', 'Pause']) {
      await page.keyboard.press('Enter');
      await expect.poll(focused, { timeout: 30_000 }).toBe(next);
    }
    await finish(page);
    expect(await page.evaluate(() => document.activeElement === document.body)).toBe(false);
    const spoken = await page.evaluate(() => (globalThis as unknown as { spoken: string[] }).spoken);
    expect(spoken.filter((text) => text.includes('per cent done')).length).toBeGreaterThan(0);
    expect(spoken.length).toBeLessThan(35); // tenths of the way, and changes of the state
    expect(spoken.join()).not.toMatch(/tokens\/s|\d s left/);

    const verdict = page.getByRole('region', { name: 'Verdict' });
    await verdict.getByRole('button', { name: 'Why?' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('.what-paid').waitFor();
    await expect.poll(focused).toBe('Why?');
  },
);
