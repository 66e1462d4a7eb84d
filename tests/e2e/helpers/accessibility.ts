import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Rule and element of each violation, of all rules or of these. */
export async function violations(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Through the debugger's channel: the page's own policy lets no such script in.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe);
  return page.evaluate(async (runOnly) => {
    const { axe: checker } = globalThis as unknown as {
      axe: { run(options: object): Promise<AxeResults> };
    };
    const result = await checker.run({ resultTypes: ['violations'], ...(runOnly && { runOnly }) });
    return result.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  }, rules);
}

/** In light, and those of colour in dark: nothing else differs. */
export async function violationsInBothSchemes(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' });
  const inLight = await violations(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  const inDark = await violations(page, ['color-contrast']);
  return [...inLight, ...inDark.map((violation) => `in dark: ${violation}`)];
}
