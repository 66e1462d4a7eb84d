/** A tab among others of its profile: its view of the saved runs, and the actions in it. */
import type { BrowserContext, Page } from 'playwright-core';
import { fileOf, openPage } from './visitor';

/** Actions on a saved run or on the tab. */
export const acts = ['open', 'resume', 'delete', 'import', 'close', 'crash'] as const;
export type Act = (typeof acts)[number];

/** A run in the list; `note` identifies it. */
export interface Row {
  note: string;
  training: 'here' | 'elsewhere' | 'no';
  isShown: boolean;
  canGoOn: boolean;
  canDelete: boolean;
}

export interface Shown {
  rows: Row[];
  /** True if the run that trains in this tab can be stopped. */
  canStop: boolean;
  /** Error code on the tab's error screen. */
  error: string | null;
}

export interface Tab {
  page: Page;
  /** The content of the tab; null if it is closed. */
  shown(): Promise<Shown | null>;
  /** Performs the action if the tab offers it. */
  act(act: Act, note: string, file: () => Promise<Buffer>): Promise<void>;
}

/** Opens the list of runs, which is a tab if a run is shown. Runs in the page, because other tabs may cover it. */
async function showRuns(): Promise<void> {
  const tab = document.querySelector<HTMLElement>('#tab-runs');
  if (tab === null || tab.ariaSelected === 'true') return;
  tab.click();
  await new Promise((resolve) => setTimeout(resolve, 50));
}

/** Runs in the page. */
function readPage(): Shown {
  const text = (element: Element | null): string => element?.textContent?.trim() ?? '';
  const rows = [...document.querySelectorAll<HTMLElement>('.runs li')].map((row): Row => {
    const facts = text(row.querySelector('.facts'));
    const isOffered = (name: string): boolean =>
      [...row.querySelectorAll('button')].some((button) => !button.disabled && text(button).startsWith(name));
    return {
      note: row.querySelector<HTMLInputElement>('input.note')!.value,
      training: facts.startsWith('training now')
        ? 'here'
        : facts.startsWith('training in another tab')
          ? 'elsewhere'
          : 'no',
      isShown: row.classList.contains('is-shown'),
      canGoOn: isOffered('Resume'),
      canDelete: isOffered('Delete'),
    };
  });
  const buttons = [...document.querySelectorAll('.run-panel button')].map(text);
  const error = document.querySelector('.screen .code');
  return { rows, canStop: buttons.includes('Stop'), error: error === null ? null : text(error) };
}

interface Press {
  note: string;
  name: string;
}

/** Presses a button in a run's row if it is enabled now; a Playwright click would wait. Runs in the page. */
function pressInRow({ note, name }: Press): void {
  const row = [...document.querySelectorAll('.runs li')].find(
    (each) => each.querySelector<HTMLInputElement>('input.note')!.value === note,
  );
  const buttons = [...(row?.querySelectorAll('button') ?? [])];
  buttons.find((button) => button.textContent.trim().startsWith(name))?.click();
}

export async function openTab(profile: BrowserContext, hash?: string): Promise<Tab> {
  const page = await openPage(profile, hash);
  let isGone = false;
  const press = async (note: string, name: string): Promise<void> => {
    await page.evaluate(showRuns);
    await page.evaluate(pressInRow, { note, name });
  };
  return {
    page,
    async shown() {
      if (isGone) return null;
      await page.evaluate(showRuns);
      return page.evaluate(readPage);
    },
    async act(act, note, file) {
      switch (act) {
        case 'open':
          return press(note, 'Open');
        case 'resume':
          return press(note, 'Resume from');
        case 'delete':
          await press(note, 'Delete');
          return press(note, 'Delete for good');
        case 'import': {
          await page.evaluate(showRuns);
          const input = page.getByLabel('Open a run from a file');
          if (!(await input.isEnabled())) return;
          return input.setInputFiles(fileOf('run.marble', await file()));
        }
        case 'close':
          isGone = true;
          return page.close();
        case 'crash': {
          isGone = true;
          const crashed = page.waitForEvent('crash');
          const devtools = await page.context().newCDPSession(page);
          void devtools.send('Page.crash').catch(() => undefined); // the call gets no answer
          await crashed;
          return page.close();
        }
      }
    },
  };
}
