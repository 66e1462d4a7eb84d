/**
 * Seconds from the click to the first step of the default run, in every browser that is here:
 *
 *   npx tsx scripts/first-step.ts [--build folder] [--items 60] [--only firefox]
 *
 * `--build` takes the build of another commit instead of building this one. One JSON line for each browser and backend, with
 * what the page said on the way and from which second on. A browser that is missing is named.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'vite';
import { findChromium } from '../tests/fixtures/chromium';
import { ask, chromium, findFirefox, firefox, type Runner } from '../tests/matrix/served';

const { values } = parseArgs({
  options: {
    build: { type: 'string' },
    items: { type: 'string', default: '60' },
    only: { type: 'string', default: '' },
  },
});
const MINUTES = 20;
const root = join(import.meta.dirname, '..');
const scratch = mkdtempSync(join(tmpdir(), 'marble-first-step-'));

/** The build, with the script that presses the button. */
async function pressedPage(): Promise<string> {
  const folder = join(scratch, 'page');
  if (values.build) cpSync(values.build, folder, { recursive: true });
  else await build({ root, logLevel: 'error', build: { outDir: folder, emptyOutDir: true } });
  cpSync(join(import.meta.dirname, 'first-step.page.mjs'), join(folder, 'press.js'));
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  const pressed = page.replace('</head>', '<script type="module" src="press.js"></script></head>');
  writeFileSync(join(folder, 'index.html'), pressed);
  return folder;
}

interface FirstStep {
  seconds: number;
  stages: { said: string; at: number }[];
}

const run = `v=1&preset=swap-shortcut&steps=2&evaluation.items=${values.items}&evaluation.finalItems=${values.items}`;
const pageOn = (backend: string): string => `index.html?backend=${backend}#${run}`;
const foundFirefox = findFirefox();
const browsers: [string, ((page: string) => Runner) | null][] = [
  ['Chromium', (page) => chromium(findChromium(), page)],
  ['Firefox', foundFirefox === null ? null : (page) => firefox(foundFirefox, page)],
];

const folder = await pressedPage();
for (const [browser, runner] of browsers) {
  for (const backend of ['wasm', 'webgpu']) {
    const name = `${browser} ${backend}`;
    if (!name.toLowerCase().includes(values.only.toLowerCase())) continue;
    if (runner === null) {
      console.log(JSON.stringify({ browser, missing: true }));
      continue;
    }
    const load = loadavg()[0];
    const log = (): void => undefined;
    const { result, error } = await ask<FirstStep>(folder, runner(pageOn(backend)), {
      seconds: 60 * MINUTES,
      log,
    });
    const stages = result?.stages.map(({ said, at }) => `${at.toFixed(1)} ${said}`);
    const seconds = result && Number(result.seconds.toFixed(1));
    console.log(
      JSON.stringify({
        browser,
        backend,
        seconds,
        ...(result ? { stages } : { error }),
        load: [load, loadavg()[0]],
      }),
    );
  }
}
rmSync(scratch, { recursive: true, force: true });
