/** A call refuses an option that it does not have, by name, before it does anything. */
import { describe, expect, it } from 'vitest';
import * as library from '../src/index';
import * as runs from '../src/runs';
import { errorOf } from './model/refusal';

type Call = (...given: unknown[]) => unknown;
const call = (name: keyof typeof library): Call => library[name] as unknown as Call;
const preset = library.presets['ladder-25k'];
const typo = { typo: 1 };

const calls: [name: string, action: () => unknown][] = [
  ['openEngine', () => call('openEngine')(typo)],
  ['loadPolicy', () => call('loadPolicy')({}, { files: {} }, typo)],
  ['loadPolicy with its options in the source', () => call('loadPolicy')({}, { files: {}, ...typo })],
  ['loadPolicy with a Hub repository', () => call('loadPolicy')({}, { hub: 'a/b', revision: '', ...typo })],
  ['loadPolicy, in lora', () => call('loadPolicy')({}, { files: {} }, { lora: typo })],
  ['loadPolicy, in open', () => call('loadPolicy')({}, { files: {} }, { open: typo })],
  ['loadTokenizer', () => call('loadTokenizer')({ files: {} }, typo)],
  ['chooseBackend', () => call('chooseBackend')({ files: {} }, typo)],
  ['train', () => call('train')({}, { config: {} }, preset, undefined, typo)],
  ['evaluate', () => call('evaluate')({}, {}, typo)],
  ['answerQuestion', () => call('answerQuestion')({}, {}, preset, typo)],
  ['verdictOf', () => call('verdictOf')([], [], typo)],
  ['computeAdvantages', () => call('computeAdvantages')([], { name: 'grpo', ...typo })],
  ['computeAdvantages, in kl', () => call('computeAdvantages')([], { name: 'grpo', kl: typo })],
  ['policyLoss', () => call('policyLoss')([], [], null, [], { name: 'grpo', kl: { place: 'none' } }, typo)],
  ['generateDataset', () => call('generateDataset')({ source: 'swap', ...typo })],
  ['importDataset', () => call('importDataset')(new Blob(['']), typo)],
  ['score', () => call('score')('', {}, { preset: 'exact', ...typo })],
  ['encodeLink', () => call('encodeLink')(preset, typo)],
  ['expandSweep', () => (runs.expandSweep as Call)(preset, typo)],
];

describe('an option that a call does not have', () => {
  it.each(calls)('is refused by %s', async (_, action) => {
    const error = await errorOf(action);
    expect(error?.code).toBe('app/unknown-option');
    expect(error?.message).toContain('"typo"');
    expect(error?.nextStep).toMatch(/^Its options are: \w+/);
  });

  it('is refused in the configuration of a run', async () => {
    const config = { ...preset, rollout: { ...preset.rollout, maxNewToken: 3 } };
    const error = await errorOf(() => call('train')({}, { config: {} }, config));
    expect(error?.message).toContain('rollout.maxNewToken');
  });
});
