import '@tensorflow/tfjs-backend-cpu';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEngine, type Engine } from '../../src/gpu/engine';
import { loadPolicy } from '../../src/model/load-policy';
import { refusalOf, refusalTextOf } from './refusal';

const folder = join(import.meta.dirname, '..', '..', 'public', 'models', 'micro');
const names = ['config.json', 'model.safetensors', 'tokenizer.json', 'tokenizer_config.json'];
const model = {
  files: Object.fromEntries(
    names.map((name) => [name, new Blob([new Uint8Array(readFileSync(join(folder, name)))])]),
  ),
};
const prompt = [[3, 4, 5, 6, 7]];

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ backend: 'cpu' });
});
afterAll(() => engine.dispose());

describe('a saved adapter', () => {
  it('goes on where it was, and is refused where the run asks for another rank', async () => {
    const lora = { rank: 4, alpha: 8 };
    const first = await loadPolicy(engine, model, { lora });
    const { parameters, ...state } = await first.state();
    first.restore({ ...state, parameters: parameters.map((value, index) => value + Math.sin(index) / 50) });
    const expected = await first.logits(prompt);
    const adapter = { files: await first.exportAdapter() };
    first.dispose();

    const second = await loadPolicy(engine, model, { lora, adapter });
    expect(await second.logits(prompt)).toEqual(expected);
    second.dispose();

    const load = () => loadPolicy(engine, model, { lora: { rank: 2, alpha: 8 }, adapter });
    expect(await refusalOf(load)).toBe('model/adapter-rank');
    expect(await refusalTextOf(load)).toContain('rank 4');
  });
});
