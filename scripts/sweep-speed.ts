/**
 * What several workers bring a sweep on the CPU: the same runs, first one after another and then two at once, in turns.
 *
 *   npx tsx scripts/sweep-speed.ts [--in node|page] [--turns 3] [--runs 2] [--steps 40 | --whole]
 *
 * Without `--whole`, which takes the default run as it is, the runs are hardly evaluated.
 * One JSON line for each turn. `speedup` is of wall time, 2 at best on two idle cores; `cpu` is the CPU time of two at once
 * against one after another, which other work on the machine changes less: 1 where they do not hinder each other.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium, type Browser } from 'playwright-core';
import { build } from 'vite';
import { chromiumFlags, findChromium } from '../tests/fixtures/chromium';
import { serve } from './serve';

const { values } = parseArgs({
  options: {
    in: { type: 'string' },
    turns: { type: 'string', default: '3' },
    runs: { type: 'string', default: '2' },
    steps: { type: 'string', default: '40' },
    whole: { type: 'boolean', default: false },
  },
});
const root = join(import.meta.dirname, '..');
const scratch = mkdtempSync(join(tmpdir(), 'marble-sweep-'));
const runs = Number(values.runs);
const short =
  `&steps=${values.steps}&evaluation.every=1000&evaluation.items=8` +
  '&evaluation.finalItems=8&evaluation.validationItems=4&checkpointEvery=1000';
const seeds = Array.from({ length: runs }, (_, index) => index + 1).join(',');
const link = `#v=1&preset=swap-shortcut${values.whole ? '' : short}&sweep.seed=${seeds}`;

interface Taken {
  wall: number;
  cpu: number;
}

function inNode(atOnce: number): Taken {
  const folder = mkdtempSync(join(scratch, 'runs-'));
  const command = ['node', 'dist-package/command.js', 'sweep', `'${link}'`, '--out', folder].join(' ');
  const { stderr, status } = spawnSync(
    'bash',
    ['-c', `TIMEFORMAT='times %R %U %S'; time ${command} --backend wasm --processes ${atOnce} > /dev/null`],
    { cwd: root, encoding: 'utf8' },
  );
  const [, wall, user, system] = /times ([\d.]+) ([\d.]+) ([\d.]+)/.exec(stderr) ?? [];
  if (status !== 0) throw new Error(stderr);
  return { wall: Number(wall), cpu: Number(user) + Number(system) };
}

async function inPage(browser: Browser, address: string, atOnce: number): Promise<Taken> {
  const session = await browser.newBrowserCDPSession();
  const cpuSeconds = async (): Promise<number> => {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
  };
  const profile = await browser.newContext({ serviceWorkers: 'block' });
  const page = await profile.newPage();
  await page.goto(address);
  await page.getByLabel('Runs on').selectOption('wasm');
  await page.evaluate((hash) => (location.hash = hash), link);
  await page.getByLabel('Runs at once on the CPU').selectOption(String(atOnce));
  const before = await cpuSeconds();
  const start = performance.now();
  await page.getByRole('button', { name: 'Start the sweep' }).click();
  await page.getByText(`${runs} of ${runs} runs ended`).waitFor({ timeout: 900_000 });
  const taken = { wall: (performance.now() - start) / 1000, cpu: (await cpuSeconds()) - before };
  await profile.close();
  return taken;
}

async function inTurns(where: string, take: (atOnce: number) => Taken | Promise<Taken>): Promise<void> {
  for (let turn = 1; turn <= Number(values.turns); turn++) {
    const load = loadavg()[0];
    const one = await take(1);
    const two = await take(2);
    const speedup = Number((one.wall / two.wall).toFixed(2));
    const cpu = Number((two.cpu / one.cpu).toFixed(2));
    console.log(JSON.stringify({ where, turn, one, two, speedup, cpu, load: [load, loadavg()[0]] }));
  }
}

if (values.in !== 'page') {
  execFileSync('npm', ['run', '--silent', 'build:package'], { cwd: root, stdio: 'ignore' });
  await inTurns('node', inNode);
}
if (values.in !== 'node') {
  const folder = join(scratch, 'page');
  await build({ root, logLevel: 'error', build: { outDir: folder, emptyOutDir: true } });
  const { server, address } = await serve(folder);
  const browser = await chromium.launch({ executablePath: findChromium(), args: chromiumFlags });
  await inTurns('page', (atOnce) => inPage(browser, address, atOnce));
  await browser.close();
  server.close();
  server.closeAllConnections();
}
rmSync(scratch, { recursive: true, force: true });
