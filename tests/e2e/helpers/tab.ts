/**
 * The list of saved runs in a tab behind another one. It is read and pressed within the page, because a click of Playwright
 * waits until the tab is drawn.
 */
import type { Page } from 'playwright-core';

export interface ListedRun {
  training: 'here' | 'elsewhere' | 'no';
  canGoOn: boolean;
  canDelete: boolean;
}

export function listedRuns(page: Page): Promise<ListedRun[]> {
  return page.evaluate(async () => {
    const tab = document.querySelector<HTMLElement>('#tab-runs');
    if (tab?.ariaSelected === 'false') {
      tab.click();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return [...document.querySelectorAll('.runs li')].map((row) => {
      const facts = row.querySelector('.facts')!.textContent;
      const buttons = [...row.querySelectorAll('button')].filter(({ disabled }) => !disabled);
      const offers = (name: string): boolean =>
        buttons.some(({ textContent }) => textContent.trim().startsWith(name));
      const elsewhere = facts.startsWith('training in another tab') ? 'elsewhere' : 'no';
      return {
        training: facts.startsWith('training now') ? 'here' : elsewhere,
        canGoOn: offers('Resume'),
        canDelete: offers('Delete'),
      };
    });
  });
}

/** Number of locks of a trainer in all tabs. */
export const heldLocks = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const { held = [] } = await navigator.locks.query();
    return held.filter(({ name }) => name === 'marble-trainer').length;
  });

/** Presses a button of the first run of the list, if it is offered now. */
export const pressOfRun = (page: Page, name: string): Promise<void> =>
  page.evaluate((wanted) => {
    const buttons = [...document.querySelectorAll<HTMLElement>('.runs li button')];
    buttons.find(({ textContent }) => textContent.trim().startsWith(wanted))?.click();
  }, name);
