import { expect, it } from 'vitest';
import { contactsOf } from '../../../src/share/contacts';
import { presets } from '../../../src/run/config/presets';
import { adapterSource } from '../../../workers/models/backend';
import { errorOf } from '../../model/refusal';

const commit = 'a'.repeat(40);
const from = (adapter?: string) => ({
  ...presets['tom-rl'],
  training: { mode: 'lora' as const, rank: 8, alpha: 16, ...(adapter !== undefined && { adapter }) },
});
const base = 'https://marble.example/course/';
const inPage = (adapter: string) => adapterSource(from(adapter), { base });

it('a shipped adapter is served by the page, and needs no consent', () => {
  expect(inPage('ships:rooms-135m')).toEqual({ url: `${base}adapters/rooms-135m/` });
  expect(inPage(`hub:owner/name@${commit}`)).toEqual({ hub: 'owner/name', revision: commit });
  const whats = (adapter: string) => contactsOf(from(adapter)).map(({ what }) => what);
  expect(whats('ships:rooms-135m')).toEqual(['model']);
  expect(whats(`hub:owner/name@${commit}`)).toEqual(['model', 'adapter']);
});

it('an adapter of files is refused in the page by name, with the way to the command', async () => {
  expect(await errorOf(() => inPage('files:mine'))).toMatchObject({
    code: 'app/adapter-files',
    message: expect.stringContaining('“mine”') as string,
    nextStep: expect.stringContaining('--adapter') as string,
  });
});
