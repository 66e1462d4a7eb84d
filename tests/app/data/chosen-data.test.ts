import { expect, it } from 'vitest';
import { trainedOnGenerated } from '../../../src/app/data/chosen-data';
import { presets } from '../../../src/run/config/presets';

it('a run of another program goes back to generated stories as one of a preset does', () => {
  const { data } = presets['ladder-25k'];
  const imported = { ...presets['ladder-25k'], data: { ...data, source: 'imported:x-0123456789abcdef' } };
  expect(trainedOnGenerated(imported).data).toEqual(data);
  expect(trainedOnGenerated({ ...imported, preset: 'imported-trl' }).data).toEqual(data);
});
