import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** This rule takes two thirds of the time of all rules, and its results do not depend on the page's state. */
const colours = 'color-contrast';

/** Rule and element of each violation, excluding colour contrast. */
export function violations(page: Page): Promise<string[]> {
  return violationsOf(page, { rules: { [colours]: { enabled: false } } });
}

async function violationsOf(page: Page, rules: object): Promise<string[]> {
  // Evaluates the script through the debugger, because the page's policy would refuse it.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe);
  return page.evaluate(async (options) => {
    const { axe: checker } = globalThis as unknown as {
      axe: { run(options: object): Promise<AxeResults> };
    };
    const result = await checker.run({ resultTypes: ['violations'], ...options });
    return result.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  }, rules);
}

/**
 * Violations of all rules in the light scheme, and of colour contrast in the dark one; other rules do not depend on the
 * scheme.
 */
export async function violationsInBothSchemes(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' });
  const inLight = await violationsOf(page, {});
  await page.emulateMedia({ colorScheme: 'dark' });
  const inDark = await violationsOf(page, { runOnly: [colours] });
  return [...inLight, ...inDark.map((violation) => `in dark: ${violation}`)];
}
