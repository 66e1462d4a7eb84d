import { describe, expect, it } from 'vitest';
import type { CustomReward } from '../../src/reward/custom';
import type { RewardParts } from '../../src/reward/types';
import type { Item } from '../../src/tom/item';
import { withCustomReward } from '../../src/run/config/custom-reward';
import { decodeLink, encodeLink } from '../../src/share/settings-link';
import { presets } from '../../src/run/config/presets';
import { refusalOf } from '../model/refusal';
import { eventsOf, lastCheckpoint, ofType, recordsOf, smallConfig, warmTable } from './runs';

const brevity: CustomReward = (completion) => -completion.split(' ').length;
const config = withCustomReward(smallConfig({ steps: 4, checkpointEvery: 100 }), brevity);

describe('a custom reward', () => {
  it('replaces the total, receives the built-in scores, and keeps the length terms', async () => {
    const given: [format: boolean, gold: string][] = [];
    const reward: CustomReward = (completion, item, scored) => {
      given.push([scored.formatHolds, item.answer]);
      return brevity(completion, item, scored);
    };
    const algorithm = { ...config.algorithm, lengthPenalty: 2 };
    const events = await eventsOf(await warmTable(), { ...config, steps: 1, algorithm }, { reward });
    const [{ rollouts }] = ofType(events, 'rollouts');
    for (const { reward: paid, completion, tokens } of rollouts) {
      const [custom, length] = paid.parts;
      expect(custom).toEqual({ name: 'custom', value: -completion.split(' ').length, reason: 'brevity' });
      expect(length).toMatchObject({ name: 'length', value: (-2 * tokens) / 24 });
      expect(paid.total).toBe(custom.value + length.value);
    }
    const pairs = new Set(given.map(String));
    for (const { reward: paid, goldAnswer } of rollouts)
      expect(pairs).toContain(String([paid.formatHolds, goldAnswer]));
  });

  it('cannot change the question or the built-in score of a completion', async () => {
    const changes: ((item: Item, scored: RewardParts) => void)[] = [
      (item) => (item.answer = 'changed'),
      (item) => Object.assign(item.traces!, { changed: 'changed' }),
      (_, scored) => (scored.correct = true),
    ];
    for (const change of changes) {
      const reward: CustomReward = (...all) => (change(all[1], all[2]), brevity(...all));
      const [failed] = ofType(await eventsOf(await warmTable(), config, { reward }), 'failed');
      expect(failed.error.message).toMatch(/^The reward function “brevity” failed .* TypeError: /);
    }
  });

  it('may return a promise, and adds its mean to an evaluation without changing accuracy', async () => {
    const later: CustomReward = async (...all) => (await Promise.resolve(), brevity(...all));
    const now = await eventsOf(await warmTable(), config, { reward: brevity });
    expect(recordsOf(await eventsOf(await warmTable(), config, { reward: later }))).toEqual(recordsOf(now));
    const [{ report }] = ofType(now, 'eval');
    const [{ report: builtIn }] = ofType(await eventsOf(await warmTable(), smallConfig()), 'eval');
    expect(report.overall).toEqual(builtIn.overall);
    expect(report.customReward).toBeLessThan(0);
    expect(builtIn).not.toHaveProperty('customReward');
  });

  it.each([
    ['throws', 'reward/custom-failed', () => { throw new Error('no judge'); }, 'no judge'], // prettier-ignore
    ['rejects with a value without a text', 'reward/custom-failed', () => Promise.reject(Object.create(null) as Error), 'type object'], // prettier-ignore
    ['rejects', 'reward/custom-failed', () => Promise.reject(new Error('no judge')), 'no judge'],
    ['returns NaN', 'reward/not-finite', () => NaN, 'NaN'],
    ['returns a number above the limit of files', 'reward/not-finite', () => 1e7, '10000000'],
    ['returns something other than a number', 'reward/not-finite', () => '1' as never, 'returned 1 (string)'],
  ] as [string, string, () => number, string][])(
    'that %s ends the run after a checkpoint of the previous steps, from which a corrected one resumes',
    async (_, code, fails, text) => {
      let isBroken = false;
      const reward: CustomReward = (...all) => (isBroken ? fails() : brevity(...all));
      const whole = await eventsOf(await warmTable(), config, { reward: brevity });
      const events = await eventsOf(await warmTable(), config, { reward }, (event) => {
        if (event.type === 'step') isBroken = event.record.step === 2;
      });
      const [checkpoint, failed] = events.slice(-2);
      expect(failed).toMatchObject({ type: 'failed', error: { code } });
      expect(ofType(events, 'failed')[0].error.message).toContain(text);
      expect(checkpoint).toMatchObject({ type: 'checkpoint', checkpoint: { step: 2 } });
      const resume = lastCheckpoint(events);
      const mended = await eventsOf(await warmTable(), config, { reward: brevity, resume });
      expect([...recordsOf(events), ...recordsOf(mended)]).toEqual(recordsOf(whole));
    },
  );

  it('is named in the configuration and its link, and a run that names one is refused without it', async () => {
    expect(config.reward.custom).toBe('brevity');
    expect(withCustomReward(config, () => 1).reward.custom).toBe('brevity');
    const preset = presets['ladder-25k'];
    const odd = Object.defineProperty(() => 1, 'name', { value: 'a (b)' });
    expect(withCustomReward(preset, odd).reward.custom).toBe('a--b-');
    const link = await encodeLink(withCustomReward(preset, brevity));
    expect(link).toContain('reward.custom=brevity');
    const sent = (await decodeLink(link)).config;
    expect(await refusalOf(() => withCustomReward(sent, undefined))).toBe('reward/custom-missing');
  });
});
