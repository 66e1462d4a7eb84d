/**
 * Sampling on a dry engine, which counts memory and work. It runs only the first two steps and the last. The buffers of a step
 * grow with its position, so the last step has the peak. The work grows linearly, so the skipped steps have the mean work of
 * the second step and the last.
 */
import * as tf from '@tensorflow/tfjs-core';
import type { Engine } from '../../gpu/engine';
import { disposeState, openState, sampleAt } from './decoder';
import type { Completion, GenerateOptions } from '../policy';
import type { PromptCaches } from './prompt-caches';
import type { PassModel } from '../transformer';

/** Counterpart of `decode` for a dry engine. Every completion has `maxNewTokens` tokens. */
export function countDecoding(
  model: PassModel,
  read: PromptCaches,
  prompts: readonly (readonly number[])[],
  options: GenerateOptions,
  engine: Pick<Engine, 'work'>,
): Promise<Completion[]> {
  const { samplesPerPrompt, maxNewTokens } = options;
  const work = engine.work!;
  const state = openState(read, prompts, samplesPerPrompt, maxNewTokens);
  const stopIds = tf.tensor1d([0], 'int32');
  let ids: tf.Tensor1D | null = null;
  /** @returns the work of the step */
  const stepAt = (position: number): { flops: number; calls: number } => {
    const start = { ...work };
    const { tokens, logprobs } = sampleAt(position, model, state, ids, options, stopIds);
    tf.dispose([logprobs, ids ?? []]);
    ids = tokens;
    return { flops: work.flops - start.flops, calls: work.calls - start.calls };
  };

  stepAt(0);
  if (maxNewTokens > 1) {
    const first = stepAt(1);
    const between = maxNewTokens - 3;
    if (between >= 0) {
      for (const cache of state.caches) cache.filled = maxNewTokens - 2;
      const end = stepAt(maxNewTokens - 1);
      work.flops += (between * (first.flops + end.flops)) / 2;
      work.calls += (between * (first.calls + end.calls)) / 2;
    }
  }
  tf.dispose([ids!, stopIds]);
  disposeState(state);
  const completion = {
    tokens: new Array<number>(maxNewTokens).fill(0),
    logprobs: new Float32Array(maxNewTokens),
    finished: false,
  };
  return Promise.resolve(state.rows.map(() => completion));
}
