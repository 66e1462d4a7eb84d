import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  computerVerdict,
  memoryWords,
  presetVerdict,
  recordedTime,
  runTimeWords,
} from '../../../src/app/check/check-words';
import type { BrowserStorage } from '../../../src/app/page/browser-storage';
import { createKeptCheck } from '../../../src/app/page/kept-check';
import { estimateRun, secondsAsRecorded } from '../../../src/app/check/run-estimate';
import type { Recording } from '../../../src/app/page/recording';
import { presets } from '../../../src/run/config/presets';
import { parseModelConfig } from '../../../src/model/config';
import { halfBillionConfig } from '../../../src/model/device/half-billion';
import { presetCosts } from '../../../workers/models/preset-shapes';
import type { ComputerCheck, PresetTime } from '../../../workers/protocol';

/** 128 completions of 10 ms, and one look of 200 questions, 400 beside them, between ends of 500. */
const evaluation = { every: 10, items: 200, finalItems: 500, seed: 7, patience: 0, validationItems: 150 };
const config = { ...presets['ladder-25k'], steps: 20, evaluation };
const time = (preset: string, backend: PresetTime['backend'], trained: number): PresetTime => ({
  preset,
  backend,
  trained,
  answered: trained / 2,
  error: null,
});
const check: ComputerCheck = {
  checkedAt: Date.parse('2026-11-22'),
  adapter: 'Some card',
  costs: [],
  times: [
    time('ladder-25k', 'wasm', 0.01),
    time('ladder-25k', 'webgpu', 0.04),
    time('tom-rl', 'webgpu', 20),
    {
      ...time('ladder-12k', 'wasm', 0),
      error: { code: 'gpu/no-wasm', message: 'No wasm.', nextStep: '' },
    },
  ],
};

describe('the estimate of a run', () => {
  it('is its steps and its evaluations at what a completion took, on the faster backend', () => {
    const steps = 20 * 128 * 0.01;
    // One look and both ends: 200 questions, 400 beside them at each of three, 500 greedily, sampled and falsified at both ends.
    const answers = (200 + 3 * 400 + 6 * 500) * 0.005;
    const estimate = estimateRun(config, check);
    expect(estimate?.backend).toBe('wasm');
    expect(estimate?.seconds).toBeCloseTo(steps + answers);
    expect(estimateRun(config, check, 'webgpu')?.seconds).toBeCloseTo(4 * (steps + answers));
  });

  it('goes by a preset of the same model where its own was not timed, and is unknown where there is none', () => {
    const other = { ...config, preset: 'order-1' };
    expect(estimateRun(other, check)?.seconds).toBeCloseTo(estimateRun(config, check)!.seconds);
    expect(estimateRun(presets['ladder-398k'], check)).toBeNull();
    expect(estimateRun(presets['ladder-12k'], check)).toBeNull();
  });
});

it('the memory of a run is told apart into the model, which grows with its size, and its batch, which does not', () => {
  const names = ['ladder-12k', 'ladder-25k', 'ladder-398k'];
  const all = presetCosts((model) => {
    if (model.kind !== 'embedded') return parseModelConfig(halfBillionConfig());
    const text = readFileSync(`public/models/${model.name}/config.json`, 'utf8');
    return parseModelConfig(JSON.parse(text) as Record<string, unknown>);
  });
  const costs = names.map((name) => all.find(({ preset }) => preset === name)!);
  const sizes = costs.map(({ modelMemory }) => modelMemory);
  expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
  for (const cost of costs) expect(cost.modelMemory).toBeLessThan(cost.memory);
  expect(memoryWords({ memory: 90.2e6, modelMemory: 0.4e6 })).toMatch(/^about 90\.2 MB: 400 kB the model/);
});

describe('the verdict on a computer', () => {
  it('says what the small and the full-size runs take, and whether one would begin them', () => {
    expect(computerVerdict(check)).toMatch(
      /^A run of the small models takes .* here: while you watch\. The full-size runs \(0\.5 billion parameters\) take \d+ days to \d+ days on Some card: too slow here\.$/,
    );
    expect(presetVerdict('tom-rl', check)).toMatch(/^about \d+ days on Some card: too slow here$/);
    expect(presetVerdict('ladder-12k', check)).toBe('not here: No wasm.');
  });

  it('says that full-size runs are not for a computer without WebGPU', () => {
    const without = {
      ...check,
      adapter: null,
      times: check.times.filter(({ backend }) => backend === 'wasm'),
    };
    expect(computerVerdict(without)).toContain('offers no WebGPU: the full-size runs');
    expect(presetVerdict('tom-rl', without)).toMatch(/^not here: this browser offers no WebGPU/);
  });

  it('writes times as exact as they are', () => {
    expect([40, 130, 3 * 3600, 50 * 3600].map(runTimeWords)).toEqual([
      '40 s',
      '2 min',
      '3 h 0 min',
      '2 days',
    ]);
  });
});

it('where no computer was checked a preset has the time of its recording, or of one of the same model', () => {
  const recordings = [
    {
      config: presets['swap-shortcut'],
      opening: 20,
      elapsed: [360, 380],
      machine: 'Node',
      records: [],
      evals: [],
    } as unknown,
  ] as Recording[];
  const known = 'about 7 min where it was recorded (Node)';
  expect(recordedTime('swap-shortcut', recordings)).toBe(known);
  expect(recordedTime('swap-faithful', recordings)).toBe(known);
  expect(recordedTime('ladder-398k', recordings)).toBeNull();
});

it('a run of fewer steps has its evaluations still to do: those at the ends are as long as before', () => {
  const config = presets['swap-shortcut'];
  const records = Array.from({ length: config.steps }, (_, index) => ({ step: index + 1, step_time: 0.3 }));
  const recording = {
    config,
    opening: 13,
    elapsed: [45, 58],
    machine: 'Node',
    records,
    evals: [],
  } as unknown as Recording;
  expect(secondsAsRecorded(recording, config)).toBeCloseTo(71);
  // 45 s of training go down to 9, and of 26 s of evaluations those in between: two thirds and more are left.
  const short = secondsAsRecorded(recording, { ...config, steps: 30 });
  expect(short).toBeGreaterThan(9 + 26 * (2 / 3));
  expect(short).toBeLessThan(9 + 26);
});

describe('what is kept of a check', () => {
  const memory = (): BrowserStorage => {
    const kept = new Map<string, string>();
    return { read: (key) => kept.get(key) ?? null, keep: (key, text) => void kept.set(key, text) };
  };

  it('is there in the next page, unless somebody has put something else in its place', () => {
    const storage = memory();
    createKeptCheck(storage).keep(check);
    expect(createKeptCheck(storage).check.value).toEqual(check);
    storage.keep('marble.check', JSON.stringify({ ...check, times: [{ preset: 'ladder-25k' }] }));
    expect(createKeptCheck(storage).check.value).toBeNull();
    storage.keep('marble.check', JSON.stringify({ ...check, checkedAt: 9e15 })); // no date
    expect(createKeptCheck(storage).check.value).toBeNull();
    storage.keep('marble.check', '{');
    expect(createKeptCheck(storage).check.value).toBeNull();
    expect(createKeptCheck(memory()).check.value).toBeNull();
  });
});
