/**
 * Two and three tabs of one profile act on the same kept run, in every pair of orders. After each act every tab must say
 * which run trains, and where, and list what the storage holds; and at most one may train.
 */
import { openAsBlob } from 'node:fs';
import type { BrowserContext, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { packRun, unpackRun } from '../../../src/share/run-file';
import { sampled } from '../../fixtures/sample';
import { readAll } from '../helpers/stored-run';
import { acts, openTab, type Act, type Row, type Tab } from '../helpers/tab';
import { browser, longRun, openBrowserForAll, reachStep, savedOfRun, startRun } from '../helpers/visitor';

let profile: BrowserContext;
/** A run of two steps that never ends by itself. */
let run: Awaited<ReturnType<typeof unpackRun>>;
let made = 0;
const tabs: Tab[] = [];

const TABS = 3;
const link = longRun({ checkpointEvery: 1 });

openBrowserForAll();
beforeAll(async () => {
  profile = await browser.newContext();
  const first = await openTab(profile, link);
  await startRun(first.page);
  await reachStep(first.page, 2);
  await first.page.getByRole('button', { name: 'Stop' }).click();
  await first.page.getByRole('button', { name: /^Resume from step/ }).waitFor();
  run = await unpackRun(await openAsBlob(await savedOfRun(first.page, 'run.marble')));
  await first.act('delete', '', () => Promise.reject(new Error('no file')));
  await first.page.getByText('None yet.').first().waitFor();
  await first.page.close();
});

/** The file of another run each time, which its note tells from the others. */
async function fileNamed(note: string): Promise<Buffer> {
  made += 1;
  const { history, rollouts, checkpoint } = run;
  const record = { ...history.record, notes: note, createdAt: history.record.createdAt + made };
  const file = await packRun({ history: { ...history, record }, rollouts, checkpoint });
  return Buffer.from(await file.arrayBuffer());
}

/** The names of the locks that are held alone; runs in the page. */
async function readLocks(): Promise<string[]> {
  const { held = [] } = await navigator.locks.query();
  const locks = held.filter(({ mode }) => mode === 'exclusive').map(({ name }) => name!);
  return locks.sort();
}

/** How it stands by what was done: whether the run is kept, and in which tab it trains. */
interface World {
  isKept: boolean;
  trainer: number | null;
}

function after({ isKept, trainer }: World, tab: number, act: Act): World {
  if (act === 'resume') return { isKept, trainer: isKept && trainer === null ? tab : trainer };
  if (act === 'delete') return { isKept: isKept && trainer !== null, trainer };
  if (act === 'close' || act === 'crash') return { isKept, trainer: trainer === tab ? null : trainer };
  return { isKept, trainer };
}

function livePage(): Page {
  return tabs.find(({ page }) => !page.isClosed())!.page;
}

const known = [null, 'store/other-tab', 'store/no-run', 'store/run-in-use', 'app/kept-already'];

/** What is not as it must be by the storage and by what was done: in what the tabs say and offer, and in the locks. */
async function faultsIn(note: string, { isKept, trainer }: World): Promise<string[]> {
  const runs = await readAll<{ id: string; notes: string }>(livePage(), 'run');
  const id = runs.find(({ notes }) => notes === note)?.id;
  const faults: string[] = [];
  const hold = (what: string, is: unknown, must: unknown): void => {
    const [found, due] = [is, must].map((each) => JSON.stringify(each));
    if (found !== due) faults.push(`${what}: ${found} instead of ${due}`);
  };
  hold('kept', id !== undefined, isKept);
  const held = trainer === null ? [] : [`marble-run/${id}`, 'marble-trainer'];
  hold('locks', await livePage().evaluate(readLocks), held);
  for (const [at, tab] of tabs.entries()) {
    const shown = await tab.shown();
    if (shown === null) continue;
    const training = (each: string): Row['training'] =>
      each !== note || trainer === null ? 'no' : trainer === at ? 'here' : 'elsewhere';
    hold(
      `tab ${at} lists`,
      shown.rows.map((row) => [row.note, row.training]).sort(),
      runs.map(({ notes }) => [notes, training(notes)]).sort(),
    );
    hold(`tab ${at} offers Stop`, shown.canStop, trainer === at);
    const trained = shown.rows.find((row) => row.training !== 'no');
    if (trained !== undefined) {
      hold(`tab ${at} offers the run that trains`, trained.canGoOn || trained.canDelete, false);
      if (trainer === at) hold(`tab ${at} shows what it trains`, trained.isShown, true);
    }
    if (!known.includes(shown.error)) faults.push(`tab ${at} shows ${shown.error}`);
  }
  return faults;
}

const patience = { timeout: 20_000, interval: 30 };

/** Waits until all tabs say how it stands, and are right about it. */
async function agree(note: string, worlds: readonly World[]): Promise<World> {
  let found = worlds[0];
  const faults = async (): Promise<string[]> => {
    const all: string[] = [];
    for (const world of worlds) {
      const some = await faultsIn(note, world);
      found = world;
      if (some.length === 0) return [];
      all.push(...some);
    }
    return all;
  };
  await expect.poll(faults, patience).toEqual([]);
  return found;
}

/** Who trains before the two acts. */
const beginnings = ['nobody', 'first', 'second', 'third'] as const;
type Beginning = (typeof beginnings)[number];
interface Case {
  beginning: Beginning;
  first: Act;
  second: Act;
  /** Both at the same time. */
  atOnce: boolean;
}

let note = '';
let world: World = { isKept: false, trainer: null };

/** All tabs open, none trains, the run kept; then it trains where the case wants it. */
async function prepare(beginning: Beginning): Promise<void> {
  for (let tab = 0; tab < TABS; tab += 1) {
    if (tabs[tab] === undefined || tabs[tab].page.isClosed()) tabs[tab] = await openTab(profile);
  }
  if (world.trainer !== null) {
    // as in `act`: no click, which waits for a tab in the background to be drawn
    await tabs[world.trainer].page.getByRole('button', { name: 'Stop' }).dispatchEvent('click');
    world = { ...world, trainer: null };
  }
  if (!world.isKept) {
    note = `run ${made}`;
    await agree(note, [world]);
    await tabs[0].act('import', note, () => fileNamed(note));
    const isListed = async () => (await tabs[0].shown())?.rows.some((row) => row.note === note);
    await expect.poll(isListed, patience).toBe(true);
    world = { ...world, isKept: true };
  }
  await agree(note, [world]);
  for (const { page } of tabs) {
    const back = page.getByRole('button', { name: 'Back to the page' });
    if ((await back.count()) > 0) await back.dispatchEvent('click');
  }
  if (beginning === 'nobody') return;
  const trainer = ['first', 'second', 'third'].indexOf(beginning);
  await tabs[trainer].act('resume', note, () => Promise.reject(new Error('no file')));
  world = after(world, trainer, 'resume');
  await agree(note, [world]);
}

async function act(tab: number, what: Act): Promise<void> {
  await tabs[tab].act(what, note, () => fileNamed(`file ${made}`));
}

async function walk({ beginning, first, second, atOnce }: Case): Promise<void> {
  await prepare(beginning);
  if (atOnce) {
    const orders = [after(after(world, 0, first), 1, second), after(after(world, 1, second), 0, first)];
    await Promise.all([act(0, first), act(1, second)]);
    world = await agree(note, orders);
    return;
  }
  await act(0, first);
  world = await agree(note, [after(world, 0, first)]);
  await act(1, second);
  world = await agree(note, [after(world, 1, second)]);
}

const cases = acts.flatMap((first) =>
  acts.flatMap((second) => [
    ...beginnings.map((beginning): Case => ({ beginning, first, second, atOnce: false })),
    { beginning: 'nobody' as const, first, second, atOnce: true },
  ]),
);

/** Those that have most to get wrong. */
const few: Case[] = [
  { beginning: 'nobody', first: 'resume', second: 'delete', atOnce: false },
  { beginning: 'nobody', first: 'resume', second: 'delete', atOnce: true },
];

const walked = sampled(few, cases);

describe('tabs of one browser', () => {
  it(
    `have one trainer, and all know which run it is, after each of ${walked.length} pairs of acts`,
    { timeout: 60_000 + walked.length * 30_000 },
    async () => {
      for (const each of walked) {
        await walk(each).catch((thrown: unknown) => {
          throw new Error(`${JSON.stringify(each)}: ${String(thrown)}`, { cause: thrown });
        });
      }
    },
  );
});
