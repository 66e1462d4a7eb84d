/** The page's boundaries: frames, requests, and texts from files. */
import { openAsBlob, statSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, inject, it } from 'vitest';
import { sampled } from '../../fixtures/sample';
import { servePlainly } from '../../fixtures/servers/plain-server';
import { packRun, unpackRun } from '../../../src/share/run-file';
import type { Rollout } from '../../../src/run/record/rollout-record';
import {
  fileOf,
  keptRuns,
  newProfile,
  openPage,
  place,
  runToEnd,
  savedOfRun,
  shortRun,
  startButton,
  takeFaults,
  visit,
} from '../helpers/visitor';

const payloads = [
  '<script>window.executed=1</script>',
  '<img src=x onerror=window.executed=1>',
  '"><svg onload=window.executed=1>',
  "javascript:window.executed=1//'",
  '<iframe srcdoc="<script>parent.executed=1</script>">',
  '</title><style>@import"//x.example"</style><script>executed=1</script>',
  '<a href="javascript:window.executed=1" autofocus onfocus=window.executed=1>x</a>',
  '{{constructor.constructor("window.executed=1")()}}',
  '<details open ontoggle=window.executed=1>',
  '&#60;script&#62;window.executed=1&#60;/script&#62;',
];

/** Replaces every text within by payloads in turn, except words from a list. */
function poisoned<T>(value: T, count: { of: number } = { of: 0 }): T {
  if (typeof value === 'string') return `${payloads[count.of++ % payloads.length]} ${value}` as T;
  if (Array.isArray(value)) return value.map((each: unknown) => poisoned(each, count)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, each]) => [
    key,
    key === 'verdict' ? (each as unknown) : poisoned<unknown>(each, count),
  ]);
  return Object.fromEntries(entries) as T;
}

/** A run file in which every free text is hostile. */
async function hostileFile(page: Page): Promise<Buffer> {
  const { history, rollouts, checkpoint } = await unpackRun(
    await openAsBlob(await savedOfRun(page, 'run.marble')),
  );
  const batches: Rollout[][] = [];
  for await (const batch of rollouts) batches.push(poisoned([...batch]));
  const [name, notes, failure, cause, nextStep] = payloads;
  const record = {
    ...{ ...history.record, createdAt: history.record.createdAt + 1, name, notes, failure },
    ...{ status: 'failed' as const, machine: poisoned({ browser: 'b', build: 'c', cores: 2 }) },
  };
  const alert = { step: 1, code: 'rl/x', severity: 'error' as const, cause, nextStep };
  const evals = history.evals.map((evaluation) => ({
    ...evaluation,
    report: { ...evaluation.report, samples: poisoned(evaluation.report.samples) },
  }));
  const hostile = { ...history, record, alerts: [...history.alerts, alert], evals };
  const file = await packRun({ history: hostile, rollouts: batches, checkpoint });
  return Buffer.from(await file.arrayBuffer());
}

async function expectUnharmed(page: Page): Promise<void> {
  expect(await page.evaluate(() => (globalThis as { executed?: unknown }).executed ?? null)).toBeNull();
  expect(
    await page.locator('main script, main iframe, main img, main style, main a[href^="javascript"]').count(),
  ).toBe(0);
}

/** Opens the report of the newest run. */
async function openReport(page: Page): Promise<void> {
  const run = (await keptRuns(page)).locator('li').first();
  const open = run.getByRole('button', { name: /^Open/ });
  if (await open.isEnabled()) await open.click();
  await page.getByRole('tab', { name: 'Report' }).click();
  await page.getByRole('heading', { name: 'Make this run again' }).waitFor();
}

it('a stranger’s link contains no text that runs, in any setting', async () => {
  const page = await visit();
  for (const payload of sampled(payloads.slice(0, 3), payloads)) {
    const text = encodeURIComponent(payload);
    for (const hash of [
      `#${text}`,
      `#v=1&preset=${text}`,
      shortRun({ 'model.kind': 'files', 'model.name': payload }),
      shortRun({ 'data.source': payload }),
      `${shortRun()}&${text}=${text}`,
    ]) {
      await page.evaluate((next) => (location.hash = next), hash);
      await page.waitForTimeout(20);
    }
  }
  await expectUnharmed(page);
});

it('no text of a run file runs where it is shown and reported', { tags: ['long'] }, async () => {
  const page = await visit(shortRun({ steps: 2 }));
  await runToEnd(page);
  const buffer = await hostileFile(page);
  const other = await visit();
  await other.getByLabel('Open a run from a file').setInputFiles(fileOf(`${payloads[1]}.marble`, buffer));
  await other.getByText(payloads[3]).first().waitFor();
  await expectUnharmed(other);
  await openReport(other);
  await other.getByText(payloads[2]).first().waitFor();
  await expectUnharmed(other);
});

it('no text of a data set runs where it is previewed and listed', { tags: ['long'] }, async () => {
  const page = await visit();
  await place(page, 'Data').click();
  const rows = payloads.map((text) =>
    JSON.stringify({ story: text, question: text, answer: text, order: 1 }),
  );
  await page.getByLabel('Choose a file').setInputFiles(fileOf('x.jsonl', rows.join('\n')));
  await page.getByRole('button', { name: /^Import .* rows?$/ }).click();
  await page.getByRole('status').getByText('is kept').waitFor();
  await expectUnharmed(page);
});

it('no text runs of a model that is refused by its missing part', { tags: ['long'] }, async () => {
  const page = await visit(shortRun({ 'model.kind': 'files', 'model.name': 'somewhere' }));
  for (const payload of sampled(payloads.slice(0, 2), payloads)) {
    const text = JSON.stringify({ architectures: [payload], model_type: payload, [payload]: payload });
    const files = [fileOf('config.json', text), fileOf('model.safetensors', text), fileOf(payload, text)];
    await page.getByLabel('Choose the model’s files').setInputFiles(files);
    await page.locator('.start .fault').getByText('not include tokenizer.json').waitFor();
    expect(await startButton(page).isDisabled()).toBe(true);
    await expectUnharmed(page);
  }
});

describe('a run of an embedded model', () => {
  it('sends no request to another host, from the first click to its files', async () => {
    const profile = await newProfile();
    const requests: string[] = []; // of the page and its workers
    profile.on('request', (request) => requests.push(request.url()));
    const page = await openPage(profile, shortRun({ steps: 2 }));
    await runToEnd(page);
    for (const kind of ['metrics.csv', 'everything.jsonl', 'run.marble', 'model.zip']) {
      expect(statSync(await savedOfRun(page, kind)).size).toBeGreaterThan(100);
      await (await keptRuns(page)).locator('li').first().locator('.menu summary').click();
    }
    await openReport(page);
    const origin = new URL(inject('address')).origin;
    const foreign = requests.filter((url) => !url.startsWith(origin) && !/^(blob|data):/.test(url));
    expect(requests.length).toBeGreaterThan(10);
    expect(foreign).toEqual([]);
  });

  it('restricts code, data and workers to its own addresses', { tags: ['long'] }, async () => {
    const { headers } = await fetch(inject('address'));
    const policy = headers.get('content-security-policy') ?? '';
    const scripts = ["require-trusted-types-for 'script'", 'trusted-types marble-worker'];
    for (const word of ["default-src 'none'", "frame-ancestors 'none'", ...scripts])
      expect(policy).toContain(word);
    const profile = await newProfile();
    // The page includes its policy for hosts that do not send it.
    const server = await servePlainly(inject('folder'));
    for (const host of [inject('address'), server.address]) {
      const page = await openPage(profile, '', host);
      const made = await page.evaluate(() => {
        const tried = (attempt: () => unknown): string => {
          try {
            attempt();
            return 'made';
          } catch (error) {
            return (error as Error).name;
          }
        };
        const script = document.createElement('script');
        return [
          tried(() => document.body.insertAdjacentHTML('beforeend', '<b>x</b>')),
          tried(() => (script.src = 'https://elsewhere.example/x.js')),
        ];
      });
      expect(made, host).toEqual(['TypeError', 'TypeError']);
      expect(await page.locator('meta[name=referrer]').getAttribute('content')).toBe('no-referrer');
      takeFaults(); // the browser logs its refusals
      await page.close();
    }
    await server.close();
  });
});

it('a frame shows a way out, and nothing if the host sends headers', { tags: ['long'] }, async () => {
  const profile = await newProfile();
  const server = await servePlainly(inject('folder'));
  for (const framed of [server.address, inject('address')]) {
    const body = `<iframe src="${framed}" width="900" height="600"></iframe>`;
    await profile.route('**/frame', (route) => route.fulfill({ contentType: 'text/html', body }));
    const page = await profile.newPage();
    await page.goto(`${server.address}frame`); // the page and its frame
    if (framed === server.address) {
      const opened = profile.waitForEvent('page');
      const frame = page.frameLocator('iframe');
      await frame.getByRole('link', { name: 'Open Marble in a tab of its own' }).click();
      expect(await frame.getByRole('button').count()).toBe(0);
      await (await opened).getByRole('navigation', { name: 'Places' }).waitFor();
    } else expect(page.frames().map((frame) => frame.url())).toContain('chrome-error://chromewebdata/');
    await page.close();
  }
  await server.close();
});
