import { expect, it } from 'vitest';
import { batchOf } from '../../../src/run/recording/step-batch';
import { eventsOf, ofType, smallConfig, warmTable } from '../runs';

it('the picture of an update leaves out the groups that dynamic sampling could not replace', async () => {
  const base = smallConfig();
  const algorithm = { ...base.algorithm, name: 'reinforce++-baseline' as const, resampleRounds: 1 };
  const config = { ...base, steps: 12, algorithm, rollout: { ...base.rollout, samplesPerPrompt: 2 } };
  const events = await eventsOf(await warmTable(), config);
  const padded = ofType(events, 'step').filter(({ record }) => record.padded_prompts > 0);
  const steps = padded.map(({ record }) => record);
  expect(steps.length).toBeGreaterThan(0);
  for (const record of steps) {
    const { rollouts } = ofType(events, 'rollouts').find(({ step }) => step === record.step)!;
    const batch = batchOf(rollouts, config, record);
    expect(new Set(batch.groups).size).toBe(config.rollout.promptsPerStep - record.padded_prompts);
    const left = rollouts.slice(batch.groups.length);
    expect(left.length).toBe(record.padded_prompts * config.rollout.samplesPerPrompt);
    expect(left.every(({ advantage }) => advantage === 0)).toBe(true);
  }
});
