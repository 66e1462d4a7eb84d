/**
 * A policy small enough to check by hand: a table of logits, one row for each previous token, trained in plain numbers
 * with exact gradients. It implements `Policy` completely, so the trainer treats it like a transformer.
 */
import { createRandom } from '../../src/base/random';
import type { Completion, Policy, PolicyState } from '../../src/model/policy';
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

export function createTablePolicy(): Policy {
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
  const entropyOf = (all: Float64Array): number =>
    -all.reduce((sum, value) => sum + Math.exp(value) * value, 0);
  const statistics = (table: Float32Array, sequences: number[][], prompts: number[], temperature = 1) => {
    const responses = sequences.map((sequence, i) =>
      sequence.slice(prompts[i]).map((token, t) => {
        const all = logSoftmax(table, rowOf(sequence, prompts[i] + t), temperature);
        return { logprob: all[token], entropy: entropyOf(all) };
      }),
    );
    return {
      logprobs: responses.map((row) => Float32Array.from(row, ({ logprob }) => logprob)),
      entropies: responses.map((row) => Float32Array.from(row, ({ entropy }) => entropy)),
    };
  };

  return {
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
      const { samplesPerPrompt, temperature, maxNewTokens, stopIds, seed, stream = 0 } = options;
      const rows = prompts.flatMap((prompt) => new Array<number[]>(samplesPerPrompt).fill(prompt));
      const completions = rows.map((prompt, place): Completion => {
        const random = createRandom(seed + 7919 * place, 1, stream);
        const sequence = [...prompt];
        const logprobs: number[] = [];
        let finished = false;
        while (!finished && logprobs.length < maxNewTokens) {
          const row = rowOf(sequence, sequence.length);
          const all = logSoftmax(state.parameters, row, temperature === 0 ? 1 : temperature);
          let draw = random.uniform();
          const drawn = all.findIndex((value) => (draw -= Math.exp(value)) < 0);
          const token = temperature === 0 ? all.indexOf(Math.max(...all)) : drawn < 0 ? V - 1 : drawn;
          sequence.push(token);
          logprobs.push(all[token]);
          finished = stopIds.includes(token);
        }
        return { tokens: sequence.slice(prompt.length), logprobs: Float32Array.from(logprobs), finished };
      });
      return Promise.resolve(completions);
    },

    logprobs: (sequences, promptLengths, { adapter, temperature } = {}) => {
      const table = adapter === 'off' ? state.reference : state.parameters;
      return Promise.resolve(statistics(table, sequences, promptLengths, temperature));
    },

    backward: (sequences, promptLengths, { temperature = 1, objective }) => {
      const forward = statistics(state.parameters, sequences, promptLengths, temperature);
      const by = objective(forward);
      sequences.forEach((sequence, i) => {
        Array.from(by.logprobs[i]).forEach((slope, t) => {
          const position = promptLengths[i] + t;
          const row = rowOf(sequence, position);
          const all = logSoftmax(state.parameters, row, temperature);
          const entropySlope = by.entropies?.[i][t] ?? 0;
          const entropy = entropyOf(all);
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
}
