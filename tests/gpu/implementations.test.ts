import { afterEach, expect, it } from 'vitest';
import { openDryEngine } from '../../src/gpu/dry/engine';
import { openEngine, type BackendName, type Engine } from '../../src/gpu/engine';
import { chooseImplementations, implementations } from '../../src/gpu/implementations';

const both = implementations({ reference: 'reference', wasm: () => Promise.resolve('wasm') });
const referenceOnly = implementations<string>({ reference: 'reference' });

let engine: Engine | null = null;
const open = async (backend: BackendName): Promise<void> => {
  engine = await openEngine({ backend });
};
afterEach(() => engine?.dispose());

it('are the references before an engine opens and after it is disposed of', async () => {
  expect(both.current).toBe('reference');
  await open('wasm');
  engine!.dispose();
  expect(both.current).toBe('reference');
});

it('are those of the engine that is open', async () => {
  await open('wasm');
  expect(both.current).toBe('wasm');
  expect(referenceOnly.current).toBe('reference');
});

it('are those of a dry engine until it is disposed of', async () => {
  await open('wasm');
  chooseImplementations('reference');
  const dry = await openDryEngine({ backend: 'wasm' });
  expect(both.current).toBe('wasm');
  await dry.dispose();
  expect(both.current).toBe('reference');
});

it('cannot be registered while an engine is open, which would leave them out', async () => {
  await open('wasm');
  expect(() => implementations({ reference: 1 })).toThrow('imported after');
});
