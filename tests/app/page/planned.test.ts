import { expect, it } from 'vitest';
import { planOf } from '../../../src/app/page/planned';
import { presets } from '../../../src/run/config/presets';
import type { RunConfig } from '../../../src/run/config/config';
import { example } from '../../share/example-config';
import { fakeWorld } from '../session/fake-worker';

const own: RunConfig = {
  ...example,
  training: { mode: 'full' },
  model: { kind: 'hub', repository: 'a/b', revision: '0123456789abcdef0123456789abcdef01234567' },
};
const at = (url: string): RunConfig => ({ ...own, model: { kind: 'url', url } });

it('a run is planned before its download where its model is known, or its server has been agreed to', async () => {
  const { session } = fakeWorld({ plan: () => 'planned', findCommit: () => 'a'.repeat(40) });
  await session.connect();
  for (const preset of ['ladder-25k', 'tom-rl', 'small-llms'])
    expect([preset, await planOf(session, presets[preset])]).toEqual([preset, 'planned']);

  expect(await planOf(session, own)).toBeNull();
  await session.findCommit('a/b', 'main');
  expect(await planOf(session, own)).toBe('planned');
  // An adapter is no part of a plan: its server need not be agreed to.
  const training = { mode: 'lora' as const, rank: 8, alpha: 16, adapter: 'https://b.example/x' };
  expect(await planOf(session, { ...own, training })).toBe('planned');

  expect(await planOf(session, at('https://a.example/m/'))).toBeNull();
  session.agree('a.example');
  expect(await planOf(session, at('https://a.example/m/'))).toBe('planned');
  expect(await planOf(session, at('https://a.example/m.gguf'))).toBeNull();
});
