/** What the page takes from elsewhere: a data set of the Hub, and an adapter as a run. */
import { openAsBlob } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { adapter } from '../../export/adapter';
import { parquetFile } from '../../fixtures/parquet-file';
import { unzipFiles } from '../../../src/model/files/model-zip';
import { startHub, type HubServer } from '../../fixtures/servers/hub-server';
import {
  fileOf,
  keptRuns,
  newProfile,
  openBrowserForAll,
  openPage,
  place,
  savedOfRun,
  visit,
} from '../helpers/visitor';

const rows = Array.from({ length: 7 }, (_, at) => ({ story: `Ann saw ${at}.`, question: 'What?', answer: String(at) })); // prettier-ignore

let hub: HubServer;
openBrowserForAll();
beforeAll(async () => {
  const converted = { 'default/train/0000.parquet': parquetFile(rows) }; // prettier-ignore
  hub = await startHub({ files: {}, datasets: { 'owner/one': { licence: 'cc-by-nc-4.0', converted } } });
});
afterAll(() => hub.close());

it('a data set of the Hub shows its licence field and its size, is fetched when the visitor agrees, and is kept with its terms', async () => {
  const profile = await newProfile();
  await profile.route('https://huggingface.co/**', async (route) => {
    const answer = await fetch(route.request().url().replace('https://huggingface.co', hub.endpoint));
    const body = Buffer.from(await answer.arrayBuffer());
    await route.fulfill({ status: answer.status, headers: Object.fromEntries(answer.headers), body });
  });
  const page = await openPage(profile);
  await place(page, 'Data').click();
  await page.getByLabel('Address of a file, or name on the Hugging Face Hub').fill('owner/one');
  await page.getByRole('button', { name: 'Fetch' }).click();
  await page.getByText('Licence field of its card: cc-by-nc-4.0').waitFor();
  expect(hub.requests.every(({ place }) => place === 'api')).toBe(true);
  await page.getByRole('button', { name: /^Download [\d.]+ (bytes|kB) from huggingface.co$/ }).click();
  await page.getByText('parquet, 7 rows, read as own').waitFor();
  await page.getByRole('button', { name: 'Import 7 rows' }).click();
  const kept = page.locator('.datasets li', { hasText: 'owner-one-default-train' });
  await kept.getByText('licence field “cc-by-nc-4.0” of owner/one').waitFor();
});

it('an adapter that PEFT has trained is opened as a run under the form’s model, and one of another model is refused by its tensor', async () => {
  const page = await visit('#preset=ladder-25k');
  const filesOf = async (width: number) => {
    const files = adapter({ rank: 4, alpha: 8 }, { 'self_attn.q_proj': [width, width] });
    return Promise.all(Object.entries(files).map(async ([name, blob]) => fileOf(name, await blob.bytes())));
  };
  const input = page.getByLabel('Open a run from a file');
  await input.setInputFiles(await filesOf(64));
  await page.getByText('self_attn.q_proj.lora_A.weight has shape [4, 64]').waitFor();
  await input.setInputFiles(await filesOf(32));
  await page.locator('.run-panel').waitFor();
  const run = (await keptRuns(page)).locator('li', { hasText: 'mode lora, rank 4, alpha 8' });
  await run.waitFor();
  const nobodyKnows = 'trained by PEFT; its files do not say in how many steps';
  await run.getByText(nobodyKnows).waitFor();
  await page.locator('.run-status', { hasText: nobodyKnows }).waitFor();
  expect(await run.locator('.note').inputValue()).toContain('an adapter that PEFT has saved');
  expect(await run.locator('button', { hasText: 'adapter.zip' }).count()).toBe(1);

  // And the run leaves for a cluster again.
  const files = await unzipFiles(await openAsBlob(await savedOfRun(page, 'Continue in TRL', run)));
  expect(Object.keys(files)).toEqual(expect.arrayContaining(['README.md', 'link.txt', 'reward.py', 'run-trl.py', 'train.parquet', 'model/model.safetensors', 'tokenizer/tokenizer.json'])); // prettier-ignore
});
