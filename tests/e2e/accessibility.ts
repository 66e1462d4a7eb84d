import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Rule and element of each violation. */
export async function violations(page: Page): Promise<string[]> {
  // Through the debugger's channel: the page's own policy lets no such script in.
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { axe: checker } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    const result = await checker.run({ resultTypes: ['violations'] });
    return result.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  });
}
