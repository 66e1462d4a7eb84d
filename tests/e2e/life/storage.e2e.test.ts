import { it } from 'vitest';
import {
  beforeWorker,
  newProfile,
  openBrowserForAll,
  openPage,
  shortRun,
  startRun,
  status,
} from '../helpers/visitor';

openBrowserForAll();

it('forbidden storage, as in a private window, has a screen, and training continues', async () => {
  const profile = await newProfile();
  await beforeWorker(
    profile,
    'IDBFactory.prototype.open = () => { throw new DOMException("forbidden", "SecurityError"); }',
  );
  const page = await openPage(profile, shortRun({ steps: 2 }));
  const screen = page.getByRole('alert');
  await screen.getByRole('heading', { name: 'storage failed: forbidden' }).waitFor();
  await screen.getByRole('button', { name: 'Back to the page' }).click();
  await startRun(page);
  await page.locator('.notice').getByText('storage failed: forbidden').waitFor();
  await status(page)
    .getByText(/^Finished/)
    .waitFor();
});
