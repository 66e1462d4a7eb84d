import { expect, inject, it } from 'vitest';
import { finish, openBrowserForAll, saved, savedRows, shortRun, startRun, visit } from '../helpers/visitor';

openBrowserForAll();

it('storage that is full ends no training, and the run is taken as a file that another browser opens', async () => {
  const page = await visit(shortRun());
  const devtools = await page.context().newCDPSession(page);
  // Enough for the first checkpoint of 25 thousand parameters with their moments, and not for the second.
  await devtools.send('Storage.overrideQuotaForOrigin', {
    origin: new URL(inject('address')).origin,
    quotaSize: 600_000,
  });
  await startRun(page);
  const notice = page.locator('.notice');
  await notice.getByText('This browser’s storage is full.').waitFor();
  await finish(page);
  const file = await saved(page, notice.getByRole('button', { name: 'Save the run as a file' }));
  const second = await visit();
  await second.getByLabel('Open a run from a file').setInputFiles(file);
  await finish(second);
  expect(await savedRows(second)).toHaveLength(11);
});
