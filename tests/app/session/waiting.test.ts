import { beforeEach, expect, it, vi } from 'vitest';
import { MarbleError } from '../../../src/base/error';
import { example, onHub } from '../../share/example-config';
import { fakeWorld, settled } from './fake-worker';

beforeEach(() => vi.stubGlobal('navigator', {}));

/** Answers that come when the page gives the question up, as the worker's do. */
function silentWorld() {
  const refusals: (() => void)[] = [];
  const silent = (): Promise<never> =>
    new Promise((_, reject) => {
      refusals.push(() => reject(new MarbleError('model/aborted', 'It was stopped.', 'Start it again.')));
    });
  const cancel = (): void => refusals.forEach((refuse) => refuse());
  return fakeWorld({ preflight: silent, findCommit: silent, ask: silent, cancel });
}
type World = ReturnType<typeof silentWorld>;

it.each<[string, RegExp, (world: World) => Promise<unknown>]>([
  ['the size of a model of the Hub', /^Asking huggingface.co /, ({ session }) => session.start(onHub)],
  ['a commit', /^Asking huggingface.co /, ({ session }) => session.findCommit('owner/name', 'main')],
  [
    'an answer',
    /^Loading/,
    ({ session }) => session.attemptToFetch('Loading', (service) => service.ask({} as never)),
  ],
])('waiting for %s is told in words, and given up without an error', async (_, words, act) => {
  const world = silentWorld();
  const { session, workers } = world;
  await session.refreshRuns();
  const acted = act(world);
  await settled();
  session.question.value?.answer(true);
  await settled();
  expect(session.waiting.value?.words).toMatch(words);
  session.waiting.value?.cancel();
  await acted;
  await settled();
  expect(workers[0].calls.at(-1)).toBe('cancel');
  expect([session.waiting.value, session.screen.value, session.activity.value]).toEqual([null, null, 'idle']);
});

it('a run whose model is still asked about is not begun after a newer one, and its question is not asked', async () => {
  let answer: (preflight: unknown) => void = () => undefined;
  const preflight = () => new Promise((resolve) => (answer = resolve));
  const { session, workers } = fakeWorld({ preflight, start: () => 'a' });
  await session.refreshRuns();
  session.agree();
  const first = session.start(onHub);
  await settled();
  await session.start(example);
  answer({ missing: 5 });
  await settled();
  expect(session.question.value).toBeNull();
  await first;
  expect(workers[0].calls.filter((call) => call === 'start')).toHaveLength(1);
});

it('a question to the visitor stays open while a run of another worker begins', async () => {
  const { session } = fakeWorld({ start: () => 'a', lockAs: () => undefined });
  await session.refreshRuns();
  void session.mayContact(onHub);
  await session.begin({ config: example, backend: 'wasm' }, session.openTrainer());
  expect(session.question.value).not.toBeNull();
});

it('reading a file that does not end is given up with its reader, also after a shorter wait', async () => {
  let isClosed = false;
  const { session } = fakeWorld(
    {},
    () => new Promise(() => undefined),
    () => (isClosed = true),
  );
  await session.refreshRuns();
  const opened = session.openRunFile(new Blob(['x']));
  await settled();
  expect(session.waiting.value?.words).toBe('Reading the file');
  void session.attemptToFetch('Loading', () => Promise.resolve());
  expect(session.waiting.value?.words).toBe('Loading');
  await settled();
  session.waiting.value?.cancel();
  expect([await opened, isClosed]).toEqual([null, true]);
  expect([session.screen.value, session.waiting.value]).toEqual([null, null]);
});
