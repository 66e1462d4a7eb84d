/** The policy of a transformer, on any backend. */
import * as tf from '@tensorflow/tfjs-core';
import { MarbleError } from '../base/error';
import { CPU_KEPT_BYTES, KEPT_BYTES } from '../base/rows-at-once';
import { jointLinear, oneProjection } from '../ops/joint-linear';
import { rmsNorm } from '../ops/rms-norm';
import { disposeTables, ropeTables, rotaryFrequencies, type RopeTables } from '../ops/rope';
import { compileAhead } from '../gpu/kernel';
import type { Engine } from '../gpu/engine';
import { hasKnownTape } from '../gpu/recorded-tape';
import {
  gatherBySequence,
  lengthBucket,
  longestOf,
  planDeviceBatches,
  prefillTokens,
  roundUp,
  scatterBySequence,
  tapesKept,
  tokenBudget,
  wholeBatch,
  type DeviceBatch,
} from './batch';
import type { AdapterConfig } from './files/adapter-files';
import { yieldToMessages } from '../base/waits';
import { scaleFrequencies, type ModelConfig } from './config';
import { countDecoding } from './decoding/count-decoding';
import { decode } from './decoding/decoder';
import { createParameterStore } from './training/parameters';
import type { PassProgress, Policy, ReadPrompts, StateLayout, TokenStatistics } from './policy';
import { cachesOf, readPrompts, type PromptCaches } from './decoding/prompt-caches';
import { savedWeights, trainedConfig } from './files/export';
import { requireFinite } from './files/half-floats';
import type { Tokenizer } from './tokenizer/tokenizer';
import {
  backwardPass,
  disposePass,
  forwardBlocks,
  passStatistics,
  headStatistics,
  type ForwardPass,
} from './training/training-pass';
import { fullParameters, loraParameters, type Parameter } from './training/trainable';
import type { PassModel } from './transformer';
import { disposeWeights, frozenCopy, withoutAdapter, type TransformerWeights } from './weights';

/** Target size of the wasm heap in bytes. It leaves memory for the activations of a block and the logits of the head. */
const HEAP_GOAL = 1.6e9;

/** Limit in bytes on data kept from forward to backward, for a heap with `held` bytes in use. */
const heapKept = (held: number): number => Math.min(CPU_KEPT_BYTES, Math.max(64e6, HEAP_GOAL - held));

export interface TransformerPolicyOptions {
  engine: Engine;
  config: ModelConfig;
  weights: TransformerWeights;
  tokenizer: Tokenizer | null;
  /** Configuration of the trained adapter; null trains every weight. */
  adapter: AdapterConfig | null;
  /** True for a saved adapter. The reference is then a copy of the adapter, as in TRL, and not the model without it. */
  adapterIsTrained?: boolean;
  /** The model's `config.json`, for exports. */
  configJson: unknown;
}

export function createTransformerPolicy(options: TransformerPolicyOptions): Policy {
  const { engine, config, weights, adapter } = options;
  const parts = adapter ? loraParameters(weights, config) : fullParameters(weights, config);
  const parameters: Parameter[] = [...parts.embedding, ...parts.layers.flat(), ...parts.head];
  const store = createParameterStore(parameters);
  const trainedPart = adapter ? 'adapter' : 'base';
  // wasm has no buffer pool, so the number of shapes does not matter.
  const bucket = engine.backend !== 'webgpu' ? 1 : lengthBucket(config);
  let reference: TransformerWeights | null = null;
  let referenceFlat: tf.Tensor1D | null = null;
  let tables: RopeTables | null = null;
  /** Prompts that were read since the last change of the weights. */
  let current = new WeakSet<ReadPrompts>();
  const sample = engine.work ? countDecoding : decode;

  /** Returns tables for at least `length` positions and their padding to the bucket. They grow in large steps. */
  const tablesFor = (length: number): RopeTables => {
    if (length > config.maxPositions) {
      throw new MarbleError(
        'model/too-long',
        `A sequence of ${length} tokens exceeds the model's ${config.maxPositions} positions.`,
        'Shorten the prompt or lower the limit on new tokens.',
      );
    }
    if (!tables || tables.positions < length) {
      if (tables) disposeTables(tables);
      const positions = Math.min(roundUp(length, 512), roundUp(config.maxPositions, bucket));
      const frequencies = rotaryFrequencies(config.headDim, config.ropeTheta);
      tables = ropeTables(positions, scaleFrequencies(frequencies, config.ropeScaling));
    }
    return tables;
  };

  /** The model, or its reference for 'off', for sequences of `length` tokens. */
  const modelFor = (which: 'on' | 'off' | undefined, length: number): PassModel => {
    const selected = which === 'off' ? (reference ?? withoutAdapter(weights)) : weights;
    return { config, weights: selected, tables: tablesFor(length) };
  };

  const checkIds = (sequences: readonly (readonly number[])[]): number =>
    longestOf(sequences, config.vocabularySize);

  const plan = (sequences: number[][], promptLengths: number[]): DeviceBatch[] =>
    planDeviceBatches(sequences, promptLengths, {
      tokenBudget: tokenBudget(config, engine.backend === 'webgpu'),
      bucket,
      withoutPadding: engine.backend !== 'webgpu',
    });

  const prefill = (
    model: PassModel,
    prompts: readonly (readonly number[])[],
    onProgress?: PassProgress,
  ): Promise<PromptCaches> =>
    readPrompts(model, prompts, {
      bucket,
      // More rows do not speed up a CPU, and smaller chunks allow more frequent progress.
      chunkTokens: engine.backend === 'webgpu' ? prefillTokens(config) : tokenBudget(config, false),
      withoutPadding: engine.backend !== 'webgpu',
      engine,
      onProgress,
    });

  /** Reads statistics, [2, tokens], and scatters them to the sequences. */
  const collect = async (
    batch: DeviceBatch,
    statistics: tf.Tensor2D,
    into: TokenStatistics,
  ): Promise<void> => {
    const values = (await statistics.data()) as Float32Array;
    statistics.dispose();
    const count = batch.responseRows.length;
    scatterBySequence(batch, values.subarray(0, count), into.logprobs);
    scatterBySequence(batch, values.subarray(count), into.entropies);
    await yieldToMessages();
  };

  const dropReference = (): void => {
    if (reference) disposeWeights(reference, trainedPart);
    referenceFlat?.dispose();
    reference = null;
    referenceFlat = null;
  };

  /** Makes the current weights the reference policy. */
  const takeReference = (): void => {
    dropReference();
    reference = frozenCopy(weights, trainedPart);
    referenceFlat = store.flat();
  };

  /** Layout of the flat parameters in `state`. */
  const layout = (): StateLayout => ({
    tensors: parameters.map(({ name, shape }) => ({ name, shape: [...shape] })),
    adapter: adapter && {
      rank: adapter.rank,
      alpha: adapter.alpha,
      useRslora: adapter.useRslora,
      baseModel: adapter.baseModel,
    },
  });

  const trainedFiles = async (): Promise<Record<string, Blob>> =>
    savedWeights({ parameters: await store.values(), layout: layout() });

  const emptyStatistics = (count: number): TokenStatistics => ({
    logprobs: Array.from({ length: count }, () => new Float32Array(0)),
    entropies: Array.from({ length: count }, () => new Float32Array(0)),
  });

  const policy: Policy = {
    config,
    tokenizer: options.tokenizer,
    trainable: parameters.map(({ name, shape }) => ({ name, shape })),
    runsOn: engine.backend,

    async logits(ids, o = {}) {
      const model = modelFor(o.adapter, checkIds(ids));
      const rows: Float32Array[] = [];
      for (const sequence of ids) {
        const batch = wholeBatch([sequence], sequence.length, false);
        const { hidden } = await forwardBlocks(model, batch, false);
        const logits = tf.tidy(() =>
          jointLinear(
            rmsNorm(hidden[0], model.weights.finalNorm, config.normEpsilon),
            oneProjection(model.weights.head),
          ),
        );
        rows.push((await logits.data()) as Float32Array);
        tf.dispose([logits, ...hidden]);
      }
      return rows;
    },

    async readPrompts(prompts, { onProgress } = {}) {
      const caches = await prefill(modelFor('on', checkIds(prompts)), prompts, onProgress);
      current.add(caches);
      return caches;
    },

    async generate(prompts, o) {
      const model = modelFor('on', checkIds(prompts) + o.maxNewTokens);
      if (o.read) return sample(model, cachesOf(o.read, current), prompts, o, engine);
      const caches = await prefill(model, prompts, async () => o.onProgress?.(0));
      try {
        return await sample(model, caches, prompts, o, engine);
      } finally {
        caches.dispose();
      }
    },

    async logprobs(sequences, promptLengths, { temperature = 1, adapter: which, onProgress } = {}) {
      const model = modelFor(which, checkIds(sequences));
      const statistics = emptyStatistics(sequences.length);
      const batches = plan(sequences, promptLengths);
      for (const [index, batch] of batches.entries()) {
        if (index > 0) await onProgress?.(index / batches.length);
        if (batch.responseRows.length === 0) continue;
        const { hidden } = await forwardBlocks(model, batch, false);
        const values = headStatistics(model, hidden[0], batch, temperature);
        tf.dispose(hidden);
        await collect(batch, values, statistics);
      }
      return statistics;
    },

    async backward(sequences, promptLengths, { temperature = 1, objective, onProgress }) {
      const model = modelFor('on', checkIds(sequences));
      const statistics = emptyStatistics(sequences.length);
      const batches = plan(sequences, promptLengths).filter(({ responseRows }) => responseRows.length > 0);
      const passes: (ForwardPass | null)[] = [];
      const reportProgress = async (done: number): Promise<void> => onProgress?.(done / (2 * batches.length));
      const rows = batches.reduce((sum, { ids }) => sum + ids.length, 0);
      const onWasm = engine.backend === 'wasm';
      const keepsTapes =
        onWasm || (engine.backend === 'webgpu' && hasKnownTape() && tapesKept(config, rows) > 0);
      const held = (): number => (onWasm ? engine.memory().total : tf.memory().numBytes);
      const most = onWasm ? heapKept(engine.memory().total) : KEPT_BYTES;
      const inputBytes = ({ ids }: DeviceBatch): number =>
        4 * ids.length * config.hiddenSize * (config.layers + 1);
      let kept = 0;
      try {
        for (const [index, batch] of batches.entries()) {
          if (index > 0) await reportProgress(index);
          const bytes = inputBytes(batch);
          const keep = kept + bytes <= most;
          // The inputs of later batches have priority over tapes: without its inputs a batch runs forward three times.
          const later = batches.slice(index + 1).reduce((sum, one) => sum + inputBytes(one), 0);
          const tapeBytes = keep && keepsTapes ? Math.max(0, most - kept - bytes - later) : 0;
          // The head's logits have priority over tapes of blocks. A GPU recomputes them in chunks.
          const scored = batch.responseRows.length;
          const logits = 4 * scored * (config.vocabularySize + 4 * config.hiddenSize); // with the head's hidden states
          const headBytes = onWasm && logits <= tapeBytes ? logits : 0;
          const pass = await forwardBlocks(model, batch, keep, { bytes: tapeBytes - headBytes, held });
          const values = passStatistics(model, pass, temperature, { bytes: headBytes, held });
          if (keep) kept += bytes + pass.tapeBytes;
          else disposePass(pass);
          passes.push(keep ? pass : null);
          await collect(batch, values, statistics);
        }
        const gradients = objective(statistics);
        for (const [index, batch] of batches.entries()) {
          const dLogprobs = gatherBySequence(batch, gradients.logprobs);
          const dEntropies = gradients.entropies ? gatherBySequence(batch, gradients.entropies) : null;
          if (index > 0) await reportProgress(batches.length + index);
          const pass = passes[index];
          passes[index] = null; // backwardPass disposes of it
          if (dLogprobs.every((d) => d === 0) && !dEntropies?.some((d) => d !== 0)) {
            if (pass) disposePass(pass); // all gradients of this batch are zero
            continue;
          }
          const count = batch.responseRows.length;
          const dStatistics = new Float32Array(2 * count);
          dStatistics.set(dLogprobs);
          if (dEntropies) dStatistics.set(dEntropies, count);
          await backwardPass(
            model,
            parts,
            pass ?? (await forwardBlocks(model, batch, true)),
            tf.tensor2d(dStatistics, [2, count]),
            temperature,
            (gradients) => store.accumulate(gradients),
          );
          await engine.check(); // otherwise all device batches are submitted at once, and stopping waits for them
          await yieldToMessages();
        }
      } finally {
        for (const pass of passes) if (pass) disposePass(pass);
      }
      return statistics;
    },

    gradients: () => store.gradients(),

    update(o) {
      current = new WeakSet();
      return store.update(o);
    },

    freezeReference() {
      // B of a new adapter is zero, so the model without the adapter is the same policy and needs no copy.
      const isFresh = adapter && options.adapterIsTrained !== true && !store.isUpdated() && !reference;
      store.resetOptimizer();
      if (isFresh) dropReference();
      else takeReference();
    },

    async state() {
      const trained = await store.state();
      const frozen = referenceFlat ? ((await referenceFlat.data()) as Float32Array).slice() : null;
      return { ...trained, reference: frozen, layout: layout() };
    },

    restore(saved) {
      store.requireSize(saved); // before anything changes
      for (const values of saved.reference ? [saved.parameters, saved.reference] : [saved.parameters]) {
        let end = 0;
        for (const { name, shape } of parameters)
          requireFinite(name, values.subarray(end, (end += tf.util.sizeFromShape([...shape]))));
      }
      current = new WeakSet();
      dropReference();
      if (saved.reference) {
        store.restore({ ...saved, parameters: saved.reference });
        takeReference();
      }
      store.restore(saved);
    },

    async exportAdapter() {
      if (!adapter) {
        throw new MarbleError(
          'model/no-adapter',
          'This model is trained in full and has no adapter.',
          'Export the model instead, or train with LoRA.',
        );
      }
      return trainedFiles();
    },

    async exportModel() {
      if (adapter) {
        throw new MarbleError(
          'model/no-full-weights',
          'Only the adapter of this model was trained; its base weights are unchanged.',
          'Export the adapter and load it on the base model.',
        );
      }
      return {
        'config.json': trainedConfig(options.configJson, config.tiedHead),
        ...(await trainedFiles()),
      };
    },

    dispose() {
      store.dispose();
      dropReference();
      disposeWeights(weights);
      if (tables) disposeTables(tables);
    },
  };
  if (engine.backend === 'webgpu') {
    policy.compileAhead = (work, onProgress) =>
      compileAhead(async () => {
        try {
          await work(policy);
        } finally {
          await store.rehearseUpdate();
        }
      }, onProgress);
  }
  return policy;
}
