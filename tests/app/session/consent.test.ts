import { describe, expect, it } from 'vitest';
import type { RunConfig } from '../../../src/run/config/config';
import { contactsOf } from '../../../src/share/contacts';
import { decodeLink } from '../../../src/share/settings-link';
import { example } from '../../share/example-config';
import { fakeClock, fakeWorld, keptRunOf, type FakeWorld } from './fake-worker';

const settled = fakeClock();
const commit = '0123456789abcdef0123456789abcdef01234567';
const hub: RunConfig['model'] = { kind: 'hub', repository: 'a/b', revision: commit };
const url = (address: string): RunConfig['model'] => ({ kind: 'url', url: address });
const withAdapter = (adapter: string): RunConfig => ({
  ...example,
  model: { kind: 'embedded', name: 'ladder-25k' },
  training: { mode: 'lora', rank: 8, alpha: 16, adapter },
});

const cases: [what: string, config: RunConfig, hosts: string[]][] = [
  ['a model of the Hub', { ...example, model: hub }, ['huggingface.co']],
  ['a model at an address', { ...example, model: url('https://a.example:8443/m/') }, ['a.example:8443']],
  ['an adapter at an address, for a model in the page', withAdapter('https://b.example/x'), ['b.example']],
  ['an adapter of the Hub, for a model in the page', withAdapter(`hub:a/b@${commit}`), ['huggingface.co']],
  [
    'both',
    { ...withAdapter('https://b.example/x'), model: url('https://a.example/m') },
    ['a.example', 'b.example'],
  ],
];

function world(config: RunConfig): FakeWorld {
  const run = keptRunOf('a');
  return fakeWorld({
    listRuns: () => [{ ...run.record, config }],
    start: () => 'a',
    preflight: () => ({ missing: 5 }),
    weightsFile: () => new Blob(),
  });
}

/** Calls that make the worker send requests. */
const requesting = ['preflight', 'start', 'weightsFile'];
const requests = ({ workers }: FakeWorld): string[] =>
  workers.flatMap(({ calls }) => calls.filter((name) => requesting.includes(name)));

/** Ways to begin a run. */
const ways: ((session: FakeWorld['session'], config: RunConfig) => Promise<unknown>)[] = [
  (session) => session.resume('a'),
  (session, config) => session.begin({ config, backend: 'wasm' }),
  (session, config) => session.start(config),
];

it.each(cases)('no server is asked for %s before the visitor has agreed', async (_, config, hosts) => {
  for (const begin of ways) {
    const page = world(config);
    const { session } = page;
    await session.refreshRuns();
    const begun = begin(session, config);
    await settled();
    expect(session.question.value).toMatchObject({ config, contacts: hosts.map((host) => ({ host })) });
    expect(requests(page)).toEqual([]);
    session.question.value?.answer(false);
    await begun;
    expect([requests(page), session.question.value]).toEqual([[], null]);
  }
});

it('a visitor who agrees is not asked again about the same hosts, but about others', async () => {
  const page = world(example);
  const { session } = page;
  await session.refreshRuns();
  const begun = session.start({ ...example, model: hub });
  await settled();
  session.question.value?.answer(true);
  await settled();
  expect(requests(page)).toEqual(['preflight']);
  const again = session.start({ ...example, model: hub });
  await begun; // its question is not answered any more
  await settled();
  expect(requests(page)).toEqual(['preflight', 'preflight']);
  void session.start(example); // nor is this one's, though the newer run asks nothing
  await again;
  expect([requests(page), session.question.value]).toEqual([['preflight', 'preflight', 'start'], null]);
  void session.start(withAdapter('https://b.example/x'));
  await settled();
  expect(session.question.value).toMatchObject({ contacts: [{ host: 'b.example' }] });
});

it('saving a model as a file asks for consent too, since its other files come from its server', async () => {
  const page = world({ ...example, model: url('https://a.example/m'), training: { mode: 'full' } });
  await page.session.refreshRuns();
  const saved = page.session.weightsFile('a');
  await settled();
  expect(requests(page)).toEqual([]);
  page.session.question.value?.answer(false);
  expect(await saved).toBeNull();
});

it('an address that the page’s policy blocks is named as such, and not contacted', async () => {
  const page = world(example);
  await page.session.refreshRuns();
  await page.session.start({ ...example, model: url('http://a.example/m') });
  expect(page.session.screen.value?.code).toBe('app/blocked-address');
  expect(requests(page)).toEqual([]);
});

describe('a run of the page’s own models', () => {
  it('contacts no other server, also if its model is in a folder of the page', () => {
    const own = { ...example, model: url('http://localhost/models/x/') };
    expect(contactsOf(example, 'http://localhost/')).toEqual([]);
    expect(contactsOf(own, 'http://localhost/')).toEqual([]);
    expect(contactsOf(own, 'http://localhost:5173/')).toHaveLength(1);
  });

  it('contacts whom a link adds', async () => {
    const link = await decodeLink('#v=1&preset=small-llms&training.adapter=https%3A%2F%2Fb.example%2Fx');
    const hosts = contactsOf(link.config, 'http://localhost/').map(({ host }) => host);
    expect(hosts).toContain('b.example');
  });
});
