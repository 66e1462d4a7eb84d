import { expect, it, onTestFinished } from 'vitest';
import { openEngine } from '../../src/gpu/engine';
import { implementations } from '../../src/gpu/implementations';

const loaders = { wasm: () => Promise.resolve('wasm'), wgsl: () => Promise.resolve('wgsl') };
const op = implementations('an op of this test', loaders);

it('an op has the implementation of the open engine, and must be registered before one opens', async () => {
  const engine = await openEngine({ backend: 'wasm' });
  onTestFinished(() => engine.dispose());
  expect(op.current).toBe('wasm');
  expect(() => implementations('another op', loaders)).toThrow('imported after');
});
