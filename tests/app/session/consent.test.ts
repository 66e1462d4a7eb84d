import { expect, it } from 'vitest';
import type { RunConfig } from '../../../src/run/config/config';
import { example, onHub } from '../../share/example-config';
import { fakeClock, fakeWorld, keptRunOf, type FakeWorld } from './fake-worker';

const settled = fakeClock();
const withAdapter: RunConfig = {
  ...example,
  model: { kind: 'embedded', name: 'ladder-25k' },
  training: { mode: 'lora', rank: 8, alpha: 16, adapter: `hub:c/d@${'a'.repeat(40)}` },
};

const cases: [what: string, config: RunConfig, repositories: string[]][] = [
  ['a model', onHub, ['owner/name']],
  ['an adapter, for a model in the page', withAdapter, ['c/d']],
  ['both', { ...withAdapter, model: onHub.model }, ['owner/name', 'c/d']],
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

it.each(cases)(
  'the Hub is not asked for %s before the visitor has agreed',
  async (_, config, repositories) => {
    for (const begin of ways) {
      const page = world(config);
      const { session } = page;
      await session.refreshRuns();
      const begun = begin(session, config);
      await settled();
      const contacts = repositories.map((name) => ({ address: `https://huggingface.co/${name}` }));
      expect(session.question.value).toMatchObject({ config, contacts });
      expect(requests(page)).toEqual([]);
      session.question.value?.answer(false);
      await begun;
      expect([requests(page), session.question.value]).toEqual([[], null]);
    }
  },
);

it('a visitor who agrees is not asked again', async () => {
  const page = world(example);
  const { session } = page;
  await session.refreshRuns();
  const begun = session.start(onHub);
  await settled();
  session.question.value?.answer(true);
  await settled();
  expect(requests(page)).toEqual(['preflight']);
  const again = session.start(onHub);
  await begun; // its question is not answered any more
  await settled();
  expect(requests(page)).toEqual(['preflight', 'preflight']);
  void session.start(example); // nor is this one's, though the newer run asks nothing
  await again;
  expect([requests(page), session.question.value]).toEqual([['preflight', 'preflight', 'start'], null]);
  void session.start(withAdapter);
  await settled();
  expect(session.question.value).toBeNull();
});

it('saving a model as a file asks for consent too, since its other files come from the Hub', async () => {
  const page = world(onHub);
  await page.session.refreshRuns();
  const saved = page.session.weightsFile('a');
  await settled();
  expect(requests(page)).toEqual([]);
  page.session.question.value?.answer(false);
  expect(await saved).toBeNull();
});
