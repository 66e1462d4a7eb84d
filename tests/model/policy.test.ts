import { describe } from 'vitest';
import { bothModels, describeGoldenPolicies, describeStories } from './golden-policy';
import { engine, openEngineForAll } from '../fixtures/engine';

describe('wasm', () => {
  openEngineForAll('wasm');
  describeGoldenPolicies('wasm', () => engine, bothModels);
  describeStories('wasm', () => engine);
});
