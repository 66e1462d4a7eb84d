/**
 * What int8 per group costs: logits with every matrix so quantised against those with the weights as stored, on the shipped
 * models and on a checkpoint of the 0.5B shape where there is one.
 */
import type { Engine } from '../../src/gpu/engine';
import type { WeightFormat } from '../../src/model/files/build-weights';
import { loadPolicy } from '../../src/model/load-policy';
import { LARGE_MODEL } from './large-model';
import { logitError, type LogitError } from '../model/logit-error';
import { report, round, type Bench } from './measure';

const SEQUENCES = 4;

async function logitsOf(
  bench: Bench,
  engine: Engine,
  folder: string,
  weights: WeightFormat,
): Promise<{ logits: Float32Array; vocabulary: number; bytes: number }> {
  const policy = await loadPolicy(engine, await bench.place.model(folder), {
    weights,
    lora: { rank: 1, alpha: 1 },
  });
  const { vocabularySize } = policy.config;
  const length = folder === LARGE_MODEL ? 8 : 32;
  const ids = Array.from({ length: SEQUENCES }, (_, row) =>
    Array.from({ length }, (_, t) => (7919 * t + 104_729 * row + 3) % vocabularySize),
  );
  const rows = await policy.logits(ids, { adapter: 'off' });
  const bytes = engine.memory().weights;
  policy.dispose();
  const logits = new Float32Array(rows.reduce((sum, row) => sum + row.length, 0));
  rows.reduce((offset, row) => (logits.set(row, offset), offset + row.length), 0);
  return { logits, vocabulary: vocabularySize, bytes };
}

const rounded = (error: LogitError): Record<string, number> =>
  Object.fromEntries(Object.entries(error).map(([name, value]: [string, number]) => [name, round(value)]));

export async function benchInt8(bench: Bench, engine: Engine, adapter: string): Promise<void> {
  const small = ['public/models/micro', 'public/models/nano'];
  for (const model of bench.quick ? small : [...small, LARGE_MODEL]) {
    const stored = await logitsOf(bench, engine, model, model === LARGE_MODEL ? 'bf16' : 'f32');
    const quantised = await logitsOf(bench, engine, model, 'int8');
    report(bench, adapter, {
      op: 'int8 logits',
      model,
      bytes: quantised.bytes,
      ofBytes: stored.bytes,
      ...rounded(logitError(quantised.logits, stored.logits, stored.vocabulary)),
    });
  }
}
