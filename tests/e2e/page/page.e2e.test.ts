import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, inject, it } from 'vitest';
import { violationsInBothSchemes } from '../helpers/accessibility';
import {
  finish,
  newProfile,
  openBrowserForAll,
  openPage,
  shortRun,
  startButton,
  startRun,
  visit,
} from '../helpers/visitor';

openBrowserForAll();

// Which links are refused, and by which words, is tested in tests/share/link.test.ts.
it('a link that is none is refused by name, and the default stands; of another the page says what it left out', async () => {
  const page = await visit(shortRun({ steps: 1e9 }));
  const screen = page.getByRole('alert');
  await screen.getByRole('heading', { name: 'out of range' }).waitFor();
  expect(await screen.innerText()).toMatch(/steps is 1000000000; .* 1 to \d+/);
  await screen.getByRole('button', { name: 'Start from the default settings' }).click();
  expect(await screen.count()).toBe(0);
  await page.getByText('60 steps, 128 answers each').waitFor();
  expect(await startButton(page).isVisible()).toBe(true);
  await page.evaluate((hash) => (location.hash = hash), `${shortRun()}&rewardCode=alert(1)`);
  await page.getByText('has left out: rewardCode').waitFor();
  await page.getByText('10 steps, 8 answers each').waitFor();
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
  await startRun(page);
  await finish(page);
  await page.evaluate(() => document.querySelectorAll('details').forEach((part) => (part.open = true)));
  expect(await violationsInBothSchemes(page)).toEqual([]);
});

describe('the build', () => {
  /** Scripts in assets/ with what each imports at once, and what it imports when asked. */
  function scripts(): Map<string, { size: number; text: string }> {
    const folder = join(inject('folder'), 'assets');
    return new Map(
      readdirSync(folder)
        .filter((name) => name.endsWith('.js'))
        .map((name) => {
          const content = readFileSync(join(folder, name));
          return [name, { size: gzipSync(content, { level: 9 }).length, text: content.toString() }];
        }),
    );
  }

  const named = (start: string): string[] => [...scripts().keys()].filter((name) => name.startsWith(start));

  /** Kilobytes of these scripts and of all that they import at once, compressed. */
  function size(from: readonly string[]): number {
    const all = scripts();
    const found = new Set(from);
    for (const name of found) {
      for (const [, , target] of all
        .get(name)!
        .text.matchAll(/(from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g)) {
        found.add(target);
      }
    }
    return [...found].reduce((total, name) => total + all.get(name)!.size, 0) / 1000;
  }

  it('has a main bundle of at most 60 kB, compressed', () => {
    const main = named('index-');
    expect(main).toHaveLength(1);
    expect(size(main)).toBeLessThanOrEqual(60);
  });

  it('has a worker of at most 220 kB, compressed, whichever backend it runs on', () => {
    const [worker] = named('trainer.worker-');
    // fetched with their backend
    const parts: Record<string, string[]> = {
      webgpu: [...scripts().keys()].filter((name) => name.includes('.wgsl-')),
      wasm: [...scripts().keys()].filter((name) => name.includes('.wasm-')),
    };
    expect(parts.wasm.length).toBeGreaterThan(5);
    expect(parts.webgpu.length).toBeGreaterThan(1);
    for (const backend of ['webgpu', 'wasm', 'cpu']) {
      const chunks = named(`backend-${backend}-`);
      expect(chunks).toHaveLength(1);
      chunks.push(...(parts[backend] ?? []));
      expect(size([worker, ...named('library-'), ...chunks])).toBeLessThanOrEqual(220);
    }
  });

  it('says so where the network keeps a part of it back', async () => {
    const profile = await newProfile();
    const page = await openPage(profile);
    await startButton(page).waitFor();
    await page.waitForLoadState('networkidle'); // parts that are fetched ahead
    await profile.setOffline(true);
    await page.getByRole('button', { name: 'Sweeps' }).click();
    await page.getByText('This part could not be fetched. Reload the page.').waitFor();
    expect(await page.locator('.screen').count()).toBe(0);
  });
});
