import { expect, it } from 'vitest';
import { openEngine } from '../../src/gpu/engine';
import { planDeviceBatches } from '../../src/model/batch';
import { initialWeights } from '../../scripts/pretrain/initial-weights';
import { buildWeights, randomSupply } from '../../src/model/files/build-weights';
import { forwardBlocks } from '../../src/model/training/training-pass';
import { disposeWeights } from '../../src/model/weights';
import { ropeTables, rotaryFrequencies } from '../../src/ops/rope';
import { tinyConfig } from './tiny';

const config = {
  ...tinyConfig,
  hiddenSize: 64,
  layers: 8,
  heads: 4,
  kvHeads: 4,
  headDim: 16,
  intermediateSize: 168,
  attentionBias: false,
};
const tokens = Array.from({ length: 24 }, (_, index) => (7 * index + (index % 5)) % config.vocabularySize);

/** Mean squared norm of the residual's rows before the first block and after each block. */
async function residualLengths(supply: ReturnType<typeof randomSupply>): Promise<number[]> {
  const engine = await openEngine({ backend: 'wasm' });
  const weights = await buildWeights(config, supply);
  const frequencies = rotaryFrequencies(config.headDim, config.ropeTheta);
  const limits = { tokenBudget: 512, bucket: 1, withoutPadding: true };
  const [batch] = planDeviceBatches([tokens], [1], limits);
  const { hidden } = await forwardBlocks(
    { config, weights, tables: ropeTables(tokens.length, frequencies) },
    batch,
    true,
  );
  const lengths = hidden.map((x) => {
    const values = x.dataSync<'float32'>();
    return values.reduce((sum, value) => sum + value ** 2, 0) / (values.length / config.hiddenSize);
  });
  for (const x of hidden) x.dispose();
  disposeWeights(weights);
  engine.dispose();
  return lengths;
}

it('add at most as much to the residual in eight layers as one unscaled layer', async () => {
  const scaled = await residualLengths(initialWeights(config, 3));
  const unscaled = await residualLengths(randomSupply(3, 0.7 / Math.sqrt(config.hiddenSize)));
  expect(scaled[0]).toBeGreaterThan(0.8);
  expect(scaled[config.layers] - scaled[0]).toBeLessThan(unscaled[1] - unscaled[0]);
  expect(unscaled[config.layers]).toBeGreaterThan(10 * scaled[config.layers]);
});
