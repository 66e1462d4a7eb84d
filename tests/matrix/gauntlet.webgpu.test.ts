/**
 * Trains the ladder's middle model on devices as bad as visitors have. Each device must give the rows of a good one.
 * `npm run matrix` and `npm run test:slow` run it.
 */
import '../fixtures/webgpu/node-webgpu';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { openEngine, type Engine } from '../../src/gpu/engine';
import { loadPolicy } from '../../src/index';
import { presets } from '../../src/run/config/presets';
import type { Checkpoint, StepRecord, TrainerEvent } from '../../src/run/record/events';
import { embeddedFiles } from '../export/model-folder';
import { deviceLostAfter, goodDevice, leastDevice, polledDevice } from '../fixtures/webgpu/bad-devices';
import { sampled } from '../fixtures/sample';
import { eventsOf, ofType, recordsOf } from '../rl/runs';

const base = presets['ladder-25k'];
const config = {
  ...base,
  seed: 3,
  steps: 3,
  rollout: { ...base.rollout, promptsPerStep: 2, samplesPerPrompt: 4 },
  evaluation: { every: 100, items: 4, hardItems: 0, seed: 7 },
  checkpointEvery: 1,
};

async function trainedOn(device: GPUDevice, resume?: Checkpoint): Promise<TrainerEvent[]> {
  let engine: Engine | undefined;
  try {
    engine = await openEngine({ backend: 'webgpu', device });
    const policy = await loadPolicy(engine, { files: embeddedFiles('ladder-25k') });
    return await eventsOf(policy, config, { resume });
  } finally {
    engine?.dispose();
    device.destroy();
  }
}

describe.skipIf(sampled(true, false))('the ladder’s middle model on a device', () => {
  let rows: StepRecord[];
  /** Submits of a run on a good device. */
  let submits = 0;
  beforeAll(async () => {
    const device = await goodDevice();
    const submit = device.queue.submit.bind(device.queue);
    device.queue.submit = (commands) => {
      submits += 1;
      submit(commands);
    };
    rows = recordsOf(await trainedOn(device));
    expect(rows).toHaveLength(3);
  });

  it.each([true, false])('in a browser that polls every 100 ms, and after a submit: %s', async (asks) => {
    const { device, restore } = await polledDevice(asks);
    try {
      expect(recordsOf(await trainedOn(device))).toEqual(rows);
    } finally {
      restore();
    }
  });

  it('with the least limits that there may be', async () => {
    const least = recordsOf(await trainedOn(await leastDevice())); // of other kernels, so of other last digits
    for (const metric of ['reward', 'completions/mean_length', 'num_tokens']) {
      expect(least.map((row) => row[metric])).toEqual(rows.map((row) => row[metric]));
    }
    least.forEach((row, step) => expect(row.grad_norm / rows[step].grad_norm).toBeCloseTo(1, 4));
  });

  it('with a clock that tells no more than tenths of a second, and runs unevenly', async () => {
    const now = performance.now.bind(performance);
    let calls = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => 100 * Math.ceil(now() / 100) + (calls++ % 3) * 40);
    expect(recordsOf(await trainedOn(await goodDevice()))).toEqual(rows);
    vi.restoreAllMocks();
  });

  it('that is lost at a submit, each tenth of them', { timeout: 1_800_000 }, async () => {
    for (let at = 10; at < submits; at += 10) {
      const before = await trainedOn(await deviceLostAfter(at)).catch((thrown: unknown) => {
        expect(thrown).toMatchObject({ code: 'gpu/device-lost' }); // while the model was loaded
        return [];
      });
      expect([at, before.at(-1)?.type ?? 'lost']).toEqual([at, 'lost']);
      const resume = ofType(before, 'checkpoint').at(-1)?.checkpoint;
      const after = await trainedOn(await goodDevice(), resume);
      expect([at, recordsOf(after)]).toEqual([at, rows.slice(resume?.step ?? 0)]);
    }
  });
});
