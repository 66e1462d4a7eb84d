/** A model's size has its unit wherever it stands. */
import { signal } from '@preact/signals';
import { h, type ComponentChild } from 'preact';
import { beforeAll, expect, it, vi } from 'vitest';
import { LadderPage } from '../../../src/app/ladder/ladder-page';
import { DownloadScreen } from '../../../src/app/models/download-screen';
import { ModelSelect } from '../../../src/app/models/model-picker';
import type { Session } from '../../../src/app/session/session';
import { presetDescriptions } from '../../../src/app/words/preset-words';
import { exactSize, sizeWords, weightsWords } from '../../../src/app/words/sizes';
import { embeddedModels } from '../../../src/run/config/model-config';
import { presets } from '../../../src/run/config/presets';
import { rungs } from '../../../src/run/recording/recording-file';
import { drawn } from '../../fixtures/little-dom';
import { readRecording } from '../../fixtures/recordings';
import { pageOf } from '../page-of';

beforeAll(() => {
  const counts = [13_248, 25_280, 101_184, 396_480, 350_208];
  vi.stubGlobal('MARBLE_MODELS', Object.fromEntries(embeddedModels.map((name, i) => [name, counts[i]])));
});

function textOf(part: ComponentChild): string {
  const shown = drawn(part);
  const text = shown.text();
  shown.close();
  return text;
}

const ladder = {
  ...{ seed: signal(1), live: signal(new Map()), isOn: signal(false), guesses: signal({}) },
  ...{ asksGuess: signal(false), isSkipped: signal(false), isGuessed: signal(false), played: signal(9) },
  ...{ isSent: signal(false), atOnce: rungs, secondsLeft: () => null },
};

it.each([
  [sizeWords, 0, '0 bytes'],
  [sizeWords, 988_100_000, '988 MB'],
  [sizeWords, 999_600, '1 MB'],
  [sizeWords, 4e12, '4000 GB'],
  [weightsWords, 25_280, '25.3 thousand weights'],
  [weightsWords, 999_700, '1 million weights'],
])('%o of %d is %s', (words, size, expected) => {
  expect(words(size)).toBe(expected);
});

it('a model’s size has its unit on every card and in every list', () => {
  const recordings = signal(rungs.map(({ preset }) => readRecording(preset)));
  const page = pageOf({}, { ladder, recordings, realRun: signal(null) });
  const form = { draft: signal(presets['ladder-12k']), faults: signal(new Map()), pending: signal(null) };
  const planned = { parameters: 134_515_008, memory: 1e9, seconds: 60, refusal: null, backend: 'wasm' };
  const preflight = { host: null, what: 'own.gguf', bytes: 1, missing: 0, planned };
  const question = { preflight, answer: () => undefined } as unknown as Parameters<
    typeof DownloadScreen
  >[0]['question'];
  const session = { capabilities: signal(null) } as unknown as Session;
  const texts = [
    textOf(h(LadderPage, page)),
    textOf(h(ModelSelect, { id: 'model', form })),
    textOf(h(DownloadScreen, { session, question })),
    ...embeddedModels.map(exactSize),
    ...Object.values(presetDescriptions),
  ];
  const sizes = texts.flatMap((text) => [
    ...text.matchAll(/(\d{2,3},\d{3}|[\d.]+ (?:thousand|million))(.{0,8})/g),
  ]);
  expect(sizes.length).toBeGreaterThan(3 + embeddedModels.length);
  expect(sizes.filter(([, , next]) => next !== ' weights').map(([found]) => found)).toEqual([]);
});
