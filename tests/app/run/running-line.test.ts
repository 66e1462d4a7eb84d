import { signal } from '@preact/signals';
import { h } from 'preact';
import { beforeAll, expect, it, vi } from 'vitest';
import type { Ladder } from '../../../src/app/page/ladder';
import type { Place, Places } from '../../../src/app/page/place';
import { RunningLine } from '../../../src/app/run/running-line';
import { createRunView, type RunView } from '../../../src/app/session/run-view';
import { presets } from '../../../src/run/config/presets';
import { drawn, stubDocument } from '../../fixtures/little-dom';
import { pageOf } from '../page-of';

beforeAll(stubDocument);

const view = createRunView('live', presets['first-run-135m'], undefined, {
  ...{ id: 'a run', backend: null, parts: { step: 60, ends: 30, look: 10 } },
});
view.take({ type: 'step', record: { step: 3, reward: 1 } });

function lineAt(
  name: 'data' | 'run' | 'ladder',
  activity: string,
  isOfLadder = false,
  run: RunView | null = view,
) {
  const { session } = pageOf({ activity: signal(activity), shown: signal(run), stage: signal('Loading') });
  const ladder = { isOn: signal(isOfLadder), secondsLeft: () => 40 } as unknown as Ladder;
  const go = vi.fn<(place: Place) => void>();
  const places = { place: signal({ name }), go } as unknown as Places;
  const shown = drawn(h(RunningLine, { session, ladder, places }));
  const text = shown.text();
  shown.all('button')[0]?.dispatchEvent(new Event('click'));
  return { text, led: go.mock.calls[0]?.[0].name };
}

it('the other pages say how far the run is that trains, and lead back to it', () => {
  const { text, led } = lineAt('data', 'running');
  expect(text).toMatch(/^Your run: Step 3 of 12, about \d+ min leftBack to the run$/);
  expect(led).toBe('run');
  expect(lineAt('data', 'paused').text).toContain('Paused after step 3 of 12');
  expect(lineAt('data', 'running', true)).toEqual({
    text: 'The small models: Step 3 of 12, about 40 s leftBack to the models',
    led: 'ladder',
  });
});

it('nothing is said without a run, or where the run is on show', () => {
  const texts = [lineAt('data', 'idle'), lineAt('run', 'running'), lineAt('ladder', 'running', true)];
  expect(texts.map(({ text }) => text)).toEqual(['', '', '']);
  expect(lineAt('ladder', 'running').text).toContain('Step 3 of 12');
});

it.each([
  ['opening', 'Your run: Loading'],
  ['stopping', 'Your run: Stopping'],
  ['watching', 'The run of another tab: Watching the other tab.'],
])('a run without a view is told as in its panel: %s', (activity, words) => {
  expect(lineAt('data', activity, false, null).text).toBe(`${words}Back to the run`);
});
