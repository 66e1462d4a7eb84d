import { cpSync, openAsBlob, rmSync, truncateSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import * as tf from '@tensorflow/tfjs-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { engine, openEngineForAll } from '../fixtures/engine';
import { folderForAll } from '../fixtures/folder';
import { gatherBySequence, planDeviceBatches } from '../../src/model/batch';
import { blobSource } from '../../src/model/source/byte-source';
import { savedWeights } from '../../src/model/files/export';
import type { Policy } from '../../src/model/policy';
import { fetchPage } from '../../src/model/source/remote-source';
import { refusalOf } from './refusal';
import { tinyConfig, tinyPolicy } from './tiny';

let full: Policy;
let lora: Policy;
let tensors: number;
openEngineForAll('wasm');
beforeAll(async () => {
  tensors = tf.memory().numTensors;
  full = await tinyPolicy(engine);
  lora = await tinyPolicy(engine, {}, { rank: 2, alpha: 4, seed: 3 });
});
afterAll(() => {
  full.dispose();
  lora.dispose();
  const left = tf.memory().numTensors;
  expect(left).toBe(tensors);
});

const limits = { tokenBudget: 100, bucket: 1, withoutPadding: true };

const pair = (sequence: number[], prompt: number) => planDeviceBatches([sequence], [prompt], limits);
const saved = async (changes: object) => savedWeights({ ...(await full.state()), ...changes });

it.each<[string, string, () => unknown]>([
  ['model/token-id', 'a token outside its vocabulary', () => full.logits([[tinyConfig.vocabularySize]])],
  ['model/too-long', 'more tokens than positions', () => full.logits([Array<number>(129).fill(2)])],
  ['model/batch', 'an empty sequence', () => full.logits([[]])],
  ['model/batch', 'more prompts than sequences', () => planDeviceBatches([[1, 2]], [1, 1], limits)],
  ['model/batch', 'a prompt longer than its sequence', () => pair([1, 2], 3)],
  ['model/batch', 'gradients of fewer tokens', () => gatherBySequence(pair([1, 2, 3], 1)[0], [[1]])],
  ['model/saved-weights', 'a state without a layout', () => saved({ layout: undefined })],
  ['model/saved-weights', 'a state of another size', () => saved({ parameters: new Float32Array(3) })],
  ['model/no-adapter', 'an adapter where all weights are trained', () => full.exportAdapter()],
  ['model/no-full-weights', 'all weights where an adapter is trained', () => lora.exportModel()],
])('a policy rejects as %s %s', async (code, _, action) => {
  expect(await refusalOf(action)).toBe(code);
});

describe('a source of a model', () => {
  const folder = folderForAll('changed');
  it.each([
    ['grows shorter', (path: string) => truncateSync(path, 50_000)],
    ['is written again', (path: string) => utimesSync(path, new Date(), new Date(Date.now() + 60_000))],
    ['is deleted', (path: string) => rmSync(path)],
  ])('that %s between two reads is refused by name', async (_, change) => {
    const path = join(folder, 'model.safetensors');
    cpSync('public/models/ladder-25k/model.safetensors', path);
    const source = blobSource(await openAsBlob(path));
    change(path);
    expect(await refusalOf(() => source.read(0, 60_000))).toBe('model/file-unreadable');
  });

  it('sent whole is rejected above the limit, without a length as well', async () => {
    const fetched = vi.spyOn(globalThis, 'fetch');
    fetched.mockResolvedValue(new Response(new Uint8Array(5000)));
    expect(await refusalOf(() => fetchPage('http://models.test/w', 4999))).toBe('model/no-range');
    fetched.mockRestore();
  });
});
