/**
 * Two and three tabs of one profile act on the same saved run, with every ordered pair of actions. After each action
 * every tab must show which run trains, and where, and list the stored runs; at most one tab may train.
 *
 * @module-tag long
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
/** A run of two steps that continues until it is stopped. */
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

/** The file of a new run each time, identified by its note. */
async function fileNamed(note: string): Promise<Buffer> {
  made += 1;
  const { history, rollouts, checkpoint } = run;
  const record = { ...history.record, notes: note, createdAt: history.record.createdAt + made };
  const file = await packRun({ history: { ...history, record }, rollouts, checkpoint });
  return Buffer.from(await file.arrayBuffer());
}

/** Names of the exclusive locks that are held; runs in the page. */
async function readLocks(): Promise<string[]> {
  const { held = [] } = await navigator.locks.query();
  const locks = held.filter(({ mode }) => mode === 'exclusive').map(({ name }) => name!);
  return locks.sort();
}

/** The expected state after the actions: whether the run is saved, and which tab trains it. */
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

/** Differences from the expected state, in the tabs' content, the storage and the locks. */
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
    const content = await tab.shown();
    if (content === null) continue;
    const training = (each: string): Row['training'] =>
      each !== note || trainer === null ? 'no' : trainer === at ? 'here' : 'elsewhere';
    hold(
      `tab ${at} lists`,
      content.rows.map((row) => [row.note, row.training]).sort(),
      runs.map(({ notes }) => [notes, training(notes)]).sort(),
    );
    hold(`tab ${at} offers Stop`, content.canStop, trainer === at);
    const trained = content.rows.find((row) => row.training !== 'no');
    if (trained !== undefined) {
      hold(`tab ${at} offers the run that trains`, trained.canGoOn || trained.canDelete, false);
      if (trainer === at) hold(`tab ${at} shows what it trains`, trained.isShown, true);
    }
    if (!known.includes(content.error)) faults.push(`tab ${at} shows ${content.error}`);
  }
  return faults;
}

const patience = { timeout: 20_000, interval: 30 };

/** Waits until all tabs show the same state and it is one of the expected ones. */
async function agree(note: string, worlds: readonly World[]): Promise<World> {
  let agreed = worlds[0];
  const faults = async (): Promise<string[]> => {
    const all: string[] = [];
    for (const world of worlds) {
      const some = await faultsIn(note, world);
      agreed = world;
      if (some.length === 0) return [];
      all.push(...some);
    }
    return all;
  };
  await expect.poll(faults, patience).toEqual([]);
  return agreed;
}

/** The tab that trains before the two actions. */
const beginnings = ['nobody', 'first', 'second', 'third'] as const;
type Beginning = (typeof beginnings)[number];
interface Case {
  beginning: Beginning;
  first: Act;
  second: Act;
  /** Both actions at the same time. */
  atOnce: boolean;
}

let note = '';
let world: World = { isKept: false, trainer: null };

/** Opens all tabs with the run saved and no training, and then starts it where the case requires. */
async function prepare(beginning: Beginning): Promise<void> {
  for (let tab = 0; tab < TABS; tab += 1) {
    if (tabs[tab] === undefined || tabs[tab].page.isClosed()) tabs[tab] = await openTab(profile);
  }
  if (world.trainer !== null) {
    // as in `act`: a click would wait for a background tab to be drawn
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

/** The cases with the most interactions. */
const few: Case[] = [
  { beginning: 'nobody', first: 'resume', second: 'delete', atOnce: false },
  { beginning: 'nobody', first: 'resume', second: 'delete', atOnce: true },
];

const walked = sampled(few, cases);

describe('tabs of one browser', () => {
  it(
    `have one trainer and agree on its run after each of ${walked.length} pairs of actions`,
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
