import { expect, it } from 'vitest';
import { violations } from '../helpers/accessibility';
import {
  finish,
  openBrowserForAll,
  shortRun,
  startButton,
  startRun,
  visit,
  withoutWebGpu,
} from '../helpers/visitor';

openBrowserForAll(withoutWebGpu);

it('without WebGPU says so, what to do when the GPU is asked for, and trains on the CPU', async () => {
  const page = await visit(shortRun({ steps: 2 }));
  await page.getByText('This browser offers no WebGPU, so the CPU will do it.').waitFor();
  await startRun(page, 'webgpu');
  const screen = page.getByRole('alert');
  await screen.getByRole('heading', { name: 'This browser gives Marble no GPU' }).waitFor();
  expect(await screen.innerText()).toContain('gpu/no-webgpu');
  await screen.getByRole('button', { name: 'Use the CPU instead' }).click();
  await startButton(page).click();
  await finish(page);
  await page.getByRole('tab', { name: 'Settings' }).click();
  await page.getByText('Runs on the CPU (WebAssembly)').waitFor();
});

it('“Check this computer” times every size without a download, says what each preset takes, and is held against a run afterwards', async () => {
  const page = await visit(shortRun());
  await page.getByText(/^All \d+ experiments/).click();
  const card = page.locator('.presets li').filter({ hasText: 'tom-rl' }).last();
  await card.getByText(/about [\d.]+ [MG]B, after you agree/).waitFor();
  const recorded = page.locator('.presets li').filter({ hasText: 'ladder-25k' }).first();
  await recorded.getByText('where it was recorded').waitFor();
  // Of a model of the Hub the button itself says what comes first.
  await card.getByRole('button', { name: /^Choose/ }).click();
  await expect
    .poll(() => startButton(page).innerText())
    .toMatch(/about [\d.]+ [MG]B to download, after you agree; then hours on a GPU/);
  await page.evaluate((hash) => (location.hash = hash), shortRun({ seed: 4 }));
  await page.getByText('10 steps, 8 answers each').waitFor();

  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.getByRole('button', { name: 'Check this computer' }).click();
  await page.getByText(/^Timing .* on the CPU: piece \d of \d\.$/).waitFor();
  expect(await violations(page)).toEqual([]);
  await page
    .getByText(/^A run of the small models takes .* the full-size runs/)
    .waitFor({ timeout: 200_000 });
  expect(asked.filter((address) => /safetensors|huggingface/.test(address))).toEqual([]);
  expect(await recorded.innerText()).toMatch(/about \d+ (s|min) on the CPU: /);
  expect(await violations(page)).toEqual([]);
});
