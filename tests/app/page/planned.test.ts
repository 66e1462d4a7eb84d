import { signal } from '@preact/signals';
import { h } from 'preact';
import { expect, it, vi } from 'vitest';
import { planOf, secondsToGo, usePlan } from '../../../src/app/page/planned';
import { createRunView } from '../../../src/app/session/run-view';
import { presets } from '../../../src/run/config/presets';
import { example, onHub } from '../../share/example-config';
import { drawn } from '../../fixtures/little-dom';
import { evalReport } from '../../run/verdict/verdicts';
import { pageOf } from '../page-of';
import { fakeWorld } from '../session/fake-worker';

it('a run is planned before its download where its model is known, or the Hub has been agreed to', async () => {
  const { session } = fakeWorld({ plan: () => 'planned', findCommit: () => 'a'.repeat(40) });
  await session.refreshRuns();
  for (const preset of ['ladder-25k', 'tom-rl', 'small-llms'])
    expect([preset, await planOf(session, presets[preset])]).toEqual([preset, 'planned']);

  expect(await planOf(session, onHub)).toBeNull();
  // An adapter is no part of a plan: the Hub need not be agreed to.
  const adapter = `hub:a/b@${'a'.repeat(40)}`;
  const training = { mode: 'lora' as const, rank: 8, alpha: 16, adapter };
  expect(await planOf(session, { ...presets['ladder-25k'], training })).toBe('planned');
  await session.findCommit('owner/name', 'main');
  expect(await planOf(session, onHub)).toBe('planned');
});

it('the settings of the form are planned once nothing trains, without those that they have replaced', async () => {
  const activity = signal('running');
  const config = signal(presets['ladder-12k']);
  const plan = vi.fn(() => Promise.resolve(activity.value === 'idle' ? { seconds: 60 } : null));
  const { session } = pageOf({ activity, plan, mayReadModel: () => true });
  const Planned = () => h('p', {}, usePlan(session, config.value)?.seconds);
  const shown = drawn(h(Planned, {}));
  await new Promise((resolve) => setTimeout(resolve));
  config.value = { ...config.value, steps: 9 };
  await new Promise((resolve) => setTimeout(resolve));
  activity.value = 'idle';
  await vi.waitFor(() => expect(shown.text()).toBe('60'));
  expect(plan.mock.calls).toEqual([[config.value]]);
  const answers: ((planned: { seconds: number }) => void)[] = [];
  plan.mockImplementation(() => new Promise((resolve) => answers.push(resolve)));
  for (const [index, name] of ['ladder-25k', 'ladder-100k'].entries()) {
    config.value = presets[name];
    await vi.waitFor(() => expect(answers).toHaveLength(index + 1));
  }
  expect(shown.text()).toBe(''); // not the plan of another model
  answers[1]({ seconds: 2 });
  answers[0]({ seconds: 1 }); // too late
  await vi.waitFor(() => expect(shown.text()).toBe('2'));
});

it('the time left of a run leaves out the finished part of the evaluation in progress', () => {
  const config = { ...example, steps: 40 };
  const view = createRunView('live', config, undefined, { parts: { step: 2, ends: 30, look: 10 } });
  const all = 40 * 2 + 2 * 30 + 3 * 10;
  const leftAt = (phase: 'evaluate' | 'rollout', step: number, fraction: number) => {
    view.take({ type: 'progress', phase, step, fraction });
    return secondsToGo(view);
  };
  expect([secondsToGo(view), leftAt('evaluate', 0, 0.5), leftAt('rollout', 1, 0.5)]).toEqual([
    all,
    all - 15,
    all,
  ]);
  view.take({ type: 'eval', report: evalReport() });
  expect([leftAt('evaluate', 0, 0.5), leftAt('evaluate', 10, 0.2)]).toEqual([all - 30, all - 32]);
  expect(secondsToGo(createRunView('live', config))).toBeNull();
});
