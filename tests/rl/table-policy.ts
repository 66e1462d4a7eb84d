/**
 * A policy small enough to check by hand: a table of logits, one row for each previous token, trained in plain numbers
 * with exact gradients. It implements `Policy` completely, so the trainer treats it like a transformer.
 */
import { createRandom } from '../../src/base/random';
import type { Completion, Policy, PolicyState, TokenStatistics } from '../../src/model/policy';
import type { Tokenizer } from '../../src/model/tokenizer/tokenizer';
import { embeddedTokenizer } from '../export/model-folder';
import { tinyConfig } from '../model/tiny';

const words = Object.keys(embeddedTokenizer('ladder-12k').model.vocab);
const V = words.length;
const idOf = new Map(words.map((word, id) => [word, id]));
const END = words.indexOf('<eos>');

const noTemplate = (): never => {
  throw new Error('no template');
};

export const tableTokenizer: Tokenizer = {
  vocabularySize: V,
  stopIds: [END],
  encode: (text) =>
    text
      .split(' ')
      .filter((word) => word !== '')
      .map((word) => idOf.get(word)!),
  decode: (ids) =>
    ids
      .filter((id) => id !== END)
      .map((id) => words[id])
      .join(' '),
  chat: noTemplate,
  hasChatTemplate: false,
};

type TableState = PolicyState & { reference: Float32Array };

export interface TablePolicy extends Policy {
  /** Offset added to the log-probabilities of response tokens in the sampler only. */
  samplerOffset: number;
}

export function createTablePolicy(): TablePolicy {
  const size = V * V;
  let state: TableState = {
    parameters: new Float32Array(size),
    moment1: new Float32Array(size),
    moment2: new Float32Array(size),
    updates: 0,
    reference: new Float32Array(size),
  };
  let gradient = new Float64Array(size);

  const rowOf = (sequence: readonly number[], position: number): number => sequence[position - 1] * V;
  const logSoftmax = (table: Float32Array, row: number, temperature: number): Float64Array => {
    const scaled = Float64Array.from(table.subarray(row, row + V), (value) => value / temperature);
    const largest = Math.max(...scaled);
    const logSum = largest + Math.log(scaled.reduce((sum, value) => sum + Math.exp(value - largest), 0));
    return scaled.map((value) => value - logSum);
  };
  const statistics = (
    table: Float32Array,
    sequences: number[][],
    promptLengths: number[],
    temperature: number,
  ): TokenStatistics => {
    const logprobs: Float32Array[] = [];
    const entropies: Float32Array[] = [];
    sequences.forEach((sequence, i) => {
      const length = sequence.length - promptLengths[i];
      const lp = new Float32Array(length);
      const entropy = new Float32Array(length);
      for (let t = 0; t < length; t++) {
        const position = promptLengths[i] + t;
        const all = logSoftmax(table, rowOf(sequence, position), temperature);
        lp[t] = all[sequence[position]];
        entropy[t] = -all.reduce((sum, value) => sum + Math.exp(value) * value, 0);
      }
      logprobs.push(lp);
      entropies.push(entropy);
    });
    return { logprobs, entropies };
  };

  const policy: TablePolicy = {
    samplerOffset: 0,
    config: {
      ...{ ...tinyConfig, vocabularySize: V, maxPositions: 256, eosTokenIds: [END] },
      ...{ hiddenSize: V, headDim: V, intermediateSize: V, layers: 1, heads: 1 },
    },
    tokenizer: tableTokenizer,
    runsOn: 'webgpu',
    trainable: [{ name: 'table', shape: [V, V] }],
    logits: () => Promise.reject(new Error('not needed')),
    readPrompts: () => Promise.resolve({ dispose: () => undefined }),

    generate: (prompts, options) => {
      const completions: Completion[] = [];
      prompts.forEach((prompt, p) => {
        for (let s = 0; s < options.samplesPerPrompt; s++) {
          const random = createRandom(
            options.seed + 7919 * (p * options.samplesPerPrompt + s),
            1,
            options.stream ?? 0,
          );
          const sequence = [...prompt];
          const logprobs: number[] = [];
          let finished = false;
          while (!finished && logprobs.length < options.maxNewTokens) {
            const row = rowOf(sequence, sequence.length);
            const all = logSoftmax(
              state.parameters,
              row,
              options.temperature === 0 ? 1 : options.temperature,
            );
            let token = all.indexOf(Math.max(...all));
            if (options.temperature > 0) {
              let draw = random.uniform();
              token = all.findIndex((value) => (draw -= Math.exp(value)) < 0);
              if (token < 0) token = V - 1;
            }
            sequence.push(token);
            logprobs.push(all[token] + policy.samplerOffset);
            finished = options.stopIds.includes(token);
          }
          completions.push({
            tokens: sequence.slice(prompt.length),
            logprobs: Float32Array.from(logprobs),
            finished,
          });
        }
      });
      return Promise.resolve(completions);
    },

    logprobs: (sequences, promptLengths, options = {}) =>
      Promise.resolve(
        statistics(
          options.adapter === 'off' ? state.reference : state.parameters,
          sequences,
          promptLengths,
          options.temperature ?? 1,
        ),
      ),

    backward: (sequences, promptLengths, { temperature = 1, objective }) => {
      const forward = statistics(state.parameters, sequences, promptLengths, temperature);
      const by = objective(forward);
      sequences.forEach((sequence, i) => {
        Array.from(by.logprobs[i]).forEach((slope, t) => {
          const position = promptLengths[i] + t;
          const row = rowOf(sequence, position);
          const all = logSoftmax(state.parameters, row, temperature);
          const entropySlope = by.entropies?.[i][t] ?? 0;
          const entropy = -all.reduce((sum, value) => sum + Math.exp(value) * value, 0);
          for (let v = 0; v < V; v++) {
            const p = Math.exp(all[v]);
            const indicator = v === sequence[position] ? 1 : 0;
            gradient[row + v] +=
              (slope * (indicator - p) - entropySlope * p * (all[v] + entropy)) / temperature;
          }
        });
      });
      return Promise.resolve(forward);
    },

    gradients: () => Promise.resolve({ table: Float32Array.from(gradient) }),

    update: ({ learningRate, beta1, beta2, epsilon, weightDecay, maxGradNorm }) => {
      const gradNorm = Math.sqrt(gradient.reduce((sum, value) => sum + value * value, 0));
      const taken = gradient;
      gradient = new Float64Array(size);
      if (!Number.isFinite(gradNorm)) return Promise.resolve({ gradNorm, applied: false });
      const scale = Math.min(1, maxGradNorm / (gradNorm + 1e-6));
      state.updates += 1;
      for (let i = 0; i < size; i++) {
        const g = taken[i] * scale;
        state.moment1[i] = beta1 * state.moment1[i] + (1 - beta1) * g;
        state.moment2[i] = beta2 * state.moment2[i] + (1 - beta2) * g * g;
        const m = state.moment1[i] / (1 - beta1 ** state.updates);
        const v = state.moment2[i] / (1 - beta2 ** state.updates);
        state.parameters[i] -=
          learningRate * (m / (Math.sqrt(v) + epsilon) + weightDecay * state.parameters[i]);
      }
      return Promise.resolve({ gradNorm, applied: true });
    },

    freezeReference: () => {
      state.reference = state.parameters.slice();
      state.moment1.fill(0);
      state.moment2.fill(0);
      state.updates = 0;
      gradient.fill(0);
    },
    state: () => Promise.resolve<PolicyState>(structuredClone(state)),
    restore: (saved) => {
      gradient.fill(0);
      state = structuredClone(saved as TableState);
    },
    exportAdapter: () => Promise.reject(new Error('not needed')),
    exportModel: () => Promise.reject(new Error('not needed')),
    dispose: () => undefined,
  };
  return policy;
}
