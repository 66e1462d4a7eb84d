/** A step of the largest size that a run may have is drawn as fast as a small one. */
import { h } from 'preact';
import { expect, it } from 'vitest';
import { batchOf } from '../../../src/run/recording/step-batch';
import { SamplesPanel } from '../../../src/app/update/samples-panel';
import { UpdatePanel } from '../../../src/app/update/update-panel';
import { presets } from '../../../src/run/config/presets';
import { rolloutsToDraw, MOST_DRAWN } from '../../../src/run/record/rollouts';
import type { Rollout } from '../../../src/run/record/rollout-record';
import { sampled } from '../../fixtures/sample';
import { drawn } from '../../fixtures/little-dom';
import { rollout } from '../../share/run-content';

/** Milliseconds of CPU time of this process, which exclude the work of other programs. */
function computed(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const stepOf = (prompts: number, samples: number): Rollout[] =>
  Array.from({ length: prompts * samples }, (_, index) => ({
    ...rollout,
    group: Math.floor(index / samples),
    sample: index % samples,
    reward: { ...rollout.reward, total: (index * 7) % 13 },
    advantage: ((index * 7) % 13) - 6,
  }));

it('of 256 prompts with 256 samples whole prompts are drawn, and it is said how many', () => {
  const all = stepOf(256, 256);
  const rollouts = rolloutsToDraw(all);
  expect(rollouts).toHaveLength(MOST_DRAWN);
  expect(new Set(rollouts.map(({ group }) => group)).size).toBe(1);
  expect(new Set(rolloutsToDraw(stepOf(1024, 64)).map(({ group }) => group)).size).toBe(2);
  expect(rolloutsToDraw(stepOf(1, 60_000))).toHaveLength(MOST_DRAWN);
  expect(rolloutsToDraw(stepOf(60_000, 1)).length).toBeGreaterThan(MOST_DRAWN / 2);
  expect(rolloutsToDraw(rollouts)).toBe(rollouts);

  const base = presets['ladder-25k'];
  const config = { ...base, rollout: { ...base.rollout, promptsPerStep: 256, samplesPerPrompt: 256 } };
  const draw = (Panel: typeof UpdatePanel): { ms: number; text: string } => {
    const begun = computed();
    const shown = rolloutsToDraw(all);
    const panel = { config, batch: batchOf(shown), rollouts: shown, why: null }; // prettier-ignore
    const part = drawn(h(Panel, panel));
    const found = { ms: computed() - begun, text: part.text() };
    part.close();
    return found;
  };
  // Other programs take their part of the time: one of many is undisturbed.
  for (const Panel of sampled([], [UpdatePanel, SamplesPanel])) {
    let least = Infinity;
    for (let tries = 0; tries < 60 && least > 50; tries += 1) least = Math.min(least, draw(Panel).ms);
    expect(least).toBeLessThan(50);
  }
  expect(draw(UpdatePanel).text).toContain('Drawn and compared are 128 of the 65536 completions');
});
