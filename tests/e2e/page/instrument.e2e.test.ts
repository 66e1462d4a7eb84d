import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { hideableParts } from '../../../src/share/link-extras';
import { violations } from '../helpers/accessibility';
import {
  copiedLink,
  finish,
  longRun,
  newProfile,
  openBrowserForAll,
  openPage,
  reachStep,
  shortRun,
  startButton,
  startRun,
  visit,
  wordsInSight,
} from '../helpers/visitor';

openBrowserForAll();

const swapRun = shortRun({ preset: 'swap-shortcut', steps: 4, 'evaluation.every': 2 });
const tab = (page: Page, name: string) => page.getByRole('tab', { name });

it('a link with the fingerprint of a run says first what it will do, and at the end whether the run is the sender’s', async () => {
  const sender = await visit(swapRun);
  await startRun(sender);
  await finish(sender);
  const { hash } = new URL(await copiedLink(sender));
  await sender.getByRole('navigation').getByRole('button', { name: 'Data' }).click();
  await expect.poll(() => sender.locator('.copy-link [role=status]').innerText()).toBe('');
  expect(hash).toContain('&fingerprint=4.');
  expect(hash).toContain('&backend=wasm');

  const page = await visit(hash);
  const sent = page.getByRole('region', { name: 'You were sent' });
  await sent.waitFor();
  const words = await sent.innerText();
  expect(words).toContain('Its thinking stops mattering seed 3');
  expect(words).toMatch(/steps\s+4 instead of 150/);
  expect(words).toContain('25 thousand');
  expect(words).toContain('Nothing beyond this page');
  expect(words).toContain('4 steps, computed on wasm');
  expect(await page.locator('.run-panel').count()).toBe(0);
  expect(await violations(page)).toEqual([]);
  await startButton(page).click();
  await finish(page);
  await page.getByText('Identical to the sender’s run: all 4 steps').waitFor();

  // The sender's third row was another one.
  const [before, rows] = /^(.*fingerprint=\d+\.[0-9a-f]{8}\.)(.*)$/.exec(hash)!.slice(1);
  const other = rows.slice(0, 8) + (rows.startsWith('0000', 8) ? '1111' : '0000') + rows.slice(12);
  const third = await visit(`${before}${other}`.replace('backend=wasm', 'backend=cpu'));
  await third.getByRole('region', { name: 'You were sent' }).waitFor();
  await startRun(third);
  await finish(third);
  await third.getByText('Another run than the sender’s from step 3 on.').waitFor();
  await third.getByText('The sender’s was computed on cpu, this one on wasm').waitFor();
});

it('the parts of a run in tabs show tokens by advantage and by what the update did, and the model answers questions of one’s own', async () => {
  const page = await visit(swapRun);
  await startRun(page);
  await finish(page);

  const slider = page.getByRole('group', { name: 'Step that the page shows' });
  // What the update did, and to which tokens.
  await tab(page, 'Sample by sample').click();
  await slider.waitFor();
  await page.getByLabel('what the update did to it').check();
  await page.getByText('These are changes of log p').waitFor();
  const ratios = await page.locator('.samples tbody td:last-child').allInnerTexts();
  expect(ratios).toHaveLength(4);
  expect(ratios.every((ratio) => /^×\d/.test(ratio))).toBe(true);
  await page.locator('.samples tbody button').first().click();
  await page.getByText('Token by token').click();
  await page.getByRole('region', { name: 'Tokens of this completion' }).waitFor();
  expect(await violations(page)).toEqual([]);

  // By keyboard to the next tab.
  await tab(page, 'Sample by sample').focus();
  await page.keyboard.press('ArrowRight');
  expect(await tab(page, 'Ask it yourself').getAttribute('aria-selected')).toBe('true');

  await slider.waitFor({ state: 'detached' }); // of no step
  // Ask it.
  await page.getByLabel('Who, line 1').waitFor();
  const words = await page.getByText(/greedy answer training has changed|had the same answer/).innerText();
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await page.getByRole('heading', { name: 'Before training: its likeliest answer' }).waitFor();
  await page.getByRole('heading', { name: 'After 4 steps: its likeliest answer' }).waitFor();
  const top = async () => (await page.locator('.answers').boundingBox())!.y;
  await expect.poll(top).toBeLessThan(200); // they come into sight
  // It answers as the evaluations have it, at both ends of the run.
  const answers = await page.locator('.one-model .answer b').allInnerTexts();
  const said = [...words.matchAll(/“(.+?)” at step/g)].map(([, answer]) => answer);
  if (said.length > 0) expect(answers).toEqual(said);
  else expect(new Set(answers).size).toBe(1);
  expect(await page.getByText(/Sampled at temperature 1: \d of 6 right/).count()).toBe(2);
  expect(
    await page.getByText('The shortcut (where it was after the first event) says').count(),
  ).toBeGreaterThan(0);
  expect(await violations(page)).toEqual([]);

  // A story that cannot be told is not asked.
  const line = page.locator('.story-form li').first();
  await line.getByLabel('Does what, line 1').selectOption('entered');
  await page.getByText('Line 1: ').waitFor();
  expect(await page.getByRole('button', { name: 'Ask', exact: true }).isDisabled()).toBe(true);
  await line.getByLabel('Does what, line 1').selectOption('swap');

  // A question after reality has no shortcut.
  const less = page.getByRole('button', { name: 'One less' });
  while (await less.isEnabled()) await less.click();
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await page
    .locator('.answers .as-told')
    .getByText(/^Where is /)
    .waitFor();
  expect(await page.locator('.answers').getByText('The shortcut').count()).toBe(0);
});

it('a recording answers questions as it was before its training and after, without a run', async () => {
  const page = await visit();
  await tab(page, 'Ask it yourself').click();
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await page.getByRole('heading', { name: 'Before training: its likeliest answer' }).waitFor();
  await page.getByRole('heading', { name: 'After 60 steps: its likeliest answer' }).waitFor();
});

it('hidden parts are hidden everywhere: while it runs, in the report and in its notes', async () => {
  const hidden = hideableParts.filter((part) => part !== 'runs' && part !== 'backend');
  const page = await visit(`${swapRun}&hide=${hidden.join(',')}`);
  await startRun(page);
  await finish(page);
  // Those who may not see the ending guess it all the same.
  await page.getByRole('region', { name: 'Guess' }).getByLabel('stops').click();
  const words = (): Promise<string> => page.locator('main').innerText();
  const telling = /stops thinking|no longer thinks|keeps thinking|thinks better|cannot be told|No verdict/i;
  expect(await words()).not.toMatch(telling);
  // Nor does a recording behind the curves tell it.
  expect(await page.locator('.plot-area .ghost[d*=L]').count()).toBe(0);
  expect(await page.getByRole('tab').allInnerTexts()).toEqual(['One question, all curves', 'Runs']);
  for (const heading of [
    /^What this update did/,
    /^Sample by sample/,
    'Ask it yourself',
    /^Evaluation/,
    'What am I looking at?',
  ]) {
    expect(await page.getByRole('heading', { name: heading }).count()).toBe(0);
  }
  expect(await page.locator('.settings').count()).toBe(0);
  await page.locator('.run-panel').getByRole('button', { name: 'Report' }).click();
  await page.getByRole('heading', { name: 'Make this run again' }).waitFor();
  expect(await words()).not.toMatch(telling);
  expect(await page.locator('.report h2:visible').allInnerTexts()).toEqual([
    'In numbers',
    'Charts',
    'Alerts',
    'Where it ran',
    'Make this run again',
  ]);
  // What is shown again comes into sight, with the guess held against it.
  await page.goBack();
  await page.getByText(`${hidden.length} parts of this page are hidden`).click();
  await page.getByRole('checkbox', { name: 'Verdict' }).check();
  const verdict = page.getByRole('region', { name: 'Verdict' });
  await verdict.getByText('Your guess: stops').waitFor();
  const isInSight = (element: Element): boolean => {
    const { top, bottom } = element.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  };
  await expect.poll(() => verdict.evaluate(isInSight)).toBe(true);
});

it.each([1280, 390])('the names at the ends of all lines stay within their plots, %i wide', async (width) => {
  const page = await visit('#v=1&preset=ladder-398k', { viewport: { width, height: 800 } });
  await page.locator('.plots .end', { hasText: 'practice' }).waitFor();
  const past = await page.locator('.plots .plot-figure').evaluateAll((plots) =>
    plots.flatMap((plot) => {
      const { right } = plot.getBoundingClientRect();
      return [...plot.querySelectorAll('.end')].map((end) => end.getBoundingClientRect().right - right);
    }),
  );
  expect(past).toHaveLength(5);
  expect(Math.max(...past)).toBeLessThanOrEqual(0);
});

/** The ends of the axes of the three plots. */
const ticksOf = async (page: Page): Promise<string[]> => {
  const ticks = await page.locator('.plots .plot-area .tick').allInnerTexts();
  return ticks.map((tick) => tick.replace('\u00a0', ' '));
};

describe('a run of one model', () => {
  it('stands there while it is being prepared, on its axes, with the recording as ghosts and nothing of its own', async () => {
    const profile = await newProfile();
    await profile.route('**/*.wasm', () => undefined); // it never comes
    const page = await openPage(profile, '#preset=ladder-12k&seed=9');
    await startRun(page);
    await page.getByText('Your run is being prepared').waitFor();
    expect(await ticksOf(page)).toEqual(['0', '3', '0', '24', '0 %', '100 %']);
    expect(await page.locator('.plots .ghost path[d*=L]').count()).toBe(5);
    expect(await page.locator('.plots g:not(.ghost) path[d*=M]').count()).toBe(0);
    expect(await page.locator('.plots .end').count()).toBe(0);
    expect(await page.locator('.live-answer').innerText()).toMatch(/^In practice\s0\/60$/);
    expect(await page.getByRole('main').getByText('It stops thinking').count()).toBe(0);
  });

  it('has few words in sight after a look and at its end, one verdict against the guess, and what leads to why', async () => {
    const page = await visit('#preset=ladder-12k&seed=9', { viewport: { width: 1280, height: 800 } });
    await startRun(page);
    await reachStep(page, 1);
    const verdict = page.getByRole('region', { name: 'Verdict' });
    await verdict.getByLabel('stops').click();
    await reachStep(page, 25);
    expect(await wordsInSight(page)).toBeLessThanOrEqual(120);
    await finish(page);
    await verdict.getByText('It stops thinking. Your guess: stops ✓').waitFor();
    expect(await page.getByRole('main').getByText('It stops thinking').count()).toBe(1);
    expect(await wordsInSight(page)).toBeLessThanOrEqual(120);
    const said = await page.locator('.hero').innerText();
    expect(said).not.toMatch(/ladder-12k|completion|since step|evaluations left out/);
    expect(await ticksOf(page)).toEqual(['0', '3', '0', '24', '0 %', '100 %']);
    await page.locator('.plot-area .mark-word', { hasText: 'halved' }).waitFor();
    const [tabs, slider] = await Promise.all(
      ['.tabs', '.scrubber'].map((part) => page.locator(part).boundingBox()),
    );
    expect(slider!.y).toBeGreaterThanOrEqual(tabs!.y + tabs!.height);
    await verdict.getByRole('button', { name: 'What the update did' }).click();
    expect(await tab(page, 'What the update did').getAttribute('aria-selected')).toBe('true');
    await verdict.getByRole('button', { name: 'Why?' }).click();
    await page.getByRole('heading', { name: 'The small model: stops thinking. Why?' }).waitFor();
    await page.locator('.what-paid').waitFor();
  });
});

it('the bar of a run stands over few words, and stays in sight along the page, at most 64 px high, with the verdict so far', async () => {
  const page = await visit(longRun(), { viewport: { width: 1280, height: 800 } });
  await startRun(page);
  await reachStep(page, 2);
  expect(await wordsInSight(page)).toBeLessThanOrEqual(120);
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  const bar = await page.locator('.bar-of-run').boundingBox();
  expect(bar!.y).toBe(0);
  expect(bar!.height).toBeLessThanOrEqual(64);
  // Before the guess it tells nothing.
  expect(await page.locator('.bar-of-run .chip').count()).toBe(0);
  await page.getByRole('region', { name: 'Verdict' }).getByLabel('keeps').check();
  await page.locator('.bar-of-run .chip').waitFor();
  // Of quick steps the parts are not told one by one.
  const phase = page.locator('.bar-of-run .phase');
  await phase.getByText('training', { exact: true }).waitFor();
  const said = await phase.evaluate(async (element) => {
    const words = new Set<string>();
    const watcher = new MutationObserver(() => words.add(element.textContent));
    watcher.observe(element, { childList: true, characterData: true, subtree: true });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    watcher.disconnect();
    return [...words.add(element.textContent)];
  });
  expect(said).toEqual(['training']);
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Stop' }).click();
});
