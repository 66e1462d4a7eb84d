import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Rule and element of each violation, of all rules or of these. */
export async function violations(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Through the debugger's channel: the page's own policy lets no such script in.
  await page.evaluate(axe.source);
  return page.evaluate(async (runOnly) => {
    const { axe: checker } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
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
