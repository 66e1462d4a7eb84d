import { signal } from '@preact/signals';
import { expect, it } from 'vitest';
import { linkedOf } from '../../../src/app/link/link';
import { presets } from '../../../src/run/config/presets';
import { runFingerprint } from '../../../src/share/run-fingerprint';
import { readRecording } from '../../fixtures/recordings';
import { pageOf } from '../page-of';

const [shown, reported] = ['ladder-12k', 'ladder-25k'].map(readRecording);
const view = { config: { ...shown.config, seed: 3 }, records: signal(shown.records), backend: null };
const history = (id: string) =>
  Promise.resolve(
    id === 'reported' ? { record: { config: reported.config, machine: {} }, steps: reported.records } : null,
  );

const at = (place: object) =>
  pageOf(
    {
      shown: signal(view),
      history,
      allRecords: () => Promise.resolve(shown.records),
    },
    { places: { place: signal(place) }, draft: signal(presets['hitom-mini']), recordings: signal(null) },
  );

it('a copied link holds the run that the heading names, with its own fingerprint', async () => {
  const ofReport = await linkedOf(at({ name: 'report', id: 'reported' }));
  expect(ofReport).toMatchObject({ config: reported.config, isRun: true });
  expect(ofReport.fingerprint).toBe(runFingerprint(reported.records));
  // After a sweep the form holds other settings than the run on show.
  const ofRun = await linkedOf(at({ name: 'run' }));
  expect(ofRun).toMatchObject({ config: view.config, isRun: true });
  expect(ofRun.fingerprint).toBe(runFingerprint(shown.records));
  expect(await linkedOf(at({ name: 'sweeps' }))).toMatchObject({
    config: presets['hitom-mini'],
    isRun: false,
  });
});
