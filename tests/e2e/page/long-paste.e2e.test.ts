import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { newProfile, openPage, place } from '../helpers/visitor';

/** Limit in milliseconds on the time without a timer, on a busy machine. A field that shapes each line anew needs 20 s. */
const most = 4000;

/** Pastes a text in place of the field's content. @returns the longest time without a timer, and the field after it */
async function paste(page: Page, field: Locator, text: string) {
  await page.evaluate((pasted) => navigator.clipboard.writeText(pasted), text);
  await field.focus();
  await field.selectText();
  const pause = page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const ticks = [performance.now()];
        const timer = setInterval(() => ticks.push(performance.now()), 10);
        const end = (): void => {
          clearInterval(timer);
          ticks.push(performance.now());
          resolve(Math.max(...ticks.slice(1).map((tick, index) => tick - ticks[index])));
        };
        const after = (): void => void requestAnimationFrame(() => setTimeout(end, 100));
        addEventListener('beforeinput', after, { once: true });
      }),
  );
  await field.press('Control+V');
  const longest = await pause;
  const [value, limit] = await field.evaluate((it: HTMLTextAreaElement) => [it.value, it.maxLength] as const);
  return { longest, value, limit };
}

it.each([
  ['Train', 'first'],
  ['Class', 'last'],
] as const)('takes no long text for seconds, and cuts it off: %s, %s field', async (name, which) => {
  const page = await openPage(await newProfile());
  await place(page, name).click();
  const fields = page.locator(':is(textarea, input[type=text]):read-write:visible');
  await fields.first().waitFor();
  for (const text of ['A'.repeat(80_000), 'hello world '.repeat(340_000)]) {
    const { longest, value, limit } = await paste(page, fields[which](), text);
    expect(longest).toBeLessThan(most);
    expect(limit).toBeGreaterThan(0);
    expect(value).toBe(text.slice(0, limit));
  }
});
