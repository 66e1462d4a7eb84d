/**
 * The library in Firefox: three steps on wasm have the rewards, lengths and gradient norms that they have in Node.
 * @module-tag long
 */
import { describe, expect, it } from 'vitest';
import { loadPolicy, openEngine, train } from '../../src/index';
import { modelFiles } from '../../scripts/pretrain/model-folder';
import { threeSteps } from './check';
import { checkInFirefox, findFirefox } from './in-firefox';

const command = findFirefox();
const title = command === null ? 'Firefox is not installed' : command;

describe.skipIf(command === null)(title, () => {
  it('trains on wasm to the last digit as Node does', async () => {
    const { result } = await checkInFirefox(command!, 'wasm', 1.8);
    const engine = await openEngine({ backend: 'wasm' });
    const policy = await loadPolicy(engine, { files: await modelFiles('public/models/ladder-25k') });
    const rows: [number, number, number][] = [];
    for await (const event of train(engine, policy, threeSteps, undefined, { anyway: true })) {
      if (event.type !== 'step') continue;
      const { record } = event;
      rows.push([record.reward, record['completions/mean_length'], record.grad_norm]);
    }
    policy.dispose();
    engine.dispose();
    const { rewards, lengths, gradientNorms } = result.steps.wasm!;
    expect(rewards.map((reward, i) => [reward, lengths[i], gradientNorms[i]])).toEqual(rows);
  });
});
