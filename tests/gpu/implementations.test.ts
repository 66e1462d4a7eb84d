import { afterEach, expect, it } from 'vitest';
import { openEngine, type BackendName, type Engine } from '../../src/gpu/engine';
import { implementations, replaceImplementations } from '../../src/gpu/implementations';

const loaders = { wasm: () => Promise.resolve('wasm'), wgsl: () => Promise.resolve('wgsl') };
const op = implementations('an op of this test', loaders);

let engine: Engine | null = null;
const open = async (backend: BackendName): Promise<void> => {
  engine = await openEngine({ backend });
};
afterEach(() => engine?.dispose());

it('are those of the engine that is open, and can be replaced until they are restored', async () => {
  await open('wasm');
  expect(op.current).toBe('wasm');
  const restore = replaceImplementations({ 'an op of this test': 'reference' });
  expect(op.current).toBe('reference');
  restore();
  expect(op.current).toBe('wasm');
});

it('cannot be registered while an engine is open, which would leave them out', async () => {
  await open('wasm');
  expect(() => implementations('another op', loaders)).toThrow('imported after');
});
