/**
 * The policy of a plan: a transformer on a dry engine, with weights that are never downloaded. It is loaded through the
 * normal checkpoint loader, with a checkpoint without bytes.
 */
import type { DryEngine } from '../gpu/dry/engine';
import type { Work } from '../gpu/wasm-kernels';
import type { ModelConfig } from '../model/config';
import { buildWeights, checkpointSupply } from '../model/files/build-weights';
import type { Checkpoint } from '../model/files/safetensors';
import { expectedTensors } from '../model/files/tensor-table';
import { weightFormat } from '../model/load-policy';
import { attachLora } from '../model/lora';
import type { Policy } from '../model/policy';
import type { Tokenizer } from '../model/tokenizer/tokenizer';
import { createTransformerPolicy } from '../model/transformer-policy';
import type { RunConfig } from '../run/config/config';

export async function loadDryPolicy(engine: DryEngine, config: ModelConfig, run: RunConfig): Promise<Policy> {
  const lora = run.training.mode === 'lora' ? run.training : null;
  const format = weightFormat(lora !== null);
  const supply = checkpointSupply(emptyCheckpoint(config), format, lora === null);
  const weights = await buildWeights(config, supply);
  if (lora) {
    const traits = { rank: lora.rank, scale: lora.alpha / lora.rank };
    await attachLora(weights, config, traits, () => Promise.resolve(new Float32Array(0)));
  }
  const policy = createTransformerPolicy({
    engine,
    config,
    weights,
    tokenizer: dryTokenizer(config, run),
    adapter: lora && { ...lora, useRslora: false, baseModel: null },
    adapterIsTrained: lora?.adapter !== undefined,
    configJson: {},
  });
  return countedOnce(policy, engine.work);
}

/** A checkpoint that lists all tensors and holds no data. */
function emptyCheckpoint(config: ModelConfig): Checkpoint {
  const read = () => Promise.resolve(new Uint8Array(0));
  const stored = { dtype: 'BF16' as const, size: 0, read };
  return new Map(expectedTensors(config).map((tensor) => [tensor.name, { ...tensor, ...stored }]));
}

/** Tokens of a chat template around the texts, and tokens for each English word or mark (Qwen2.5's tokenizer: 1.16). */
const CHAT = { template: 30, perWord: 1.2 };

/**
 * Estimates a tokenizer's lengths without its files; small models have one token for each word or mark. The first id of
 * a text is the length of its longest run of spaces, by which `longestOf` in plan-run.ts distinguishes prompts. Ids
 * decode to an empty text.
 */
function dryTokenizer(
  { vocabularySize, maxPositions }: ModelConfig,
  { model, rollout }: RunConfig,
): Tokenizer {
  const isChat = model.kind !== 'embedded';
  const most = Math.max(1, maxPositions - rollout.maxNewTokens - 1);
  const ids = (length: number, text: string): number[] =>
    new Array<number>(Math.max(1, Math.min(Math.ceil(length), most)))
      .fill(0)
      .with(0, (/ {2,}/.exec(text)?.[0].length ?? 0) % vocabularySize);
  const words = (text: string): number =>
    (text.match(/\w+|[^\s\w]/g)?.length ?? 0) * (isChat ? CHAT.perWord : 1);
  return {
    vocabularySize,
    stopIds: [0],
    hasChatTemplate: isChat,
    encode: (text) => (text === '' ? [] : ids(words(text), text)),
    decode: () => '',
    chat: (messages) => {
      const text = messages.map(({ content }) => content).join('\n');
      return ids(CHAT.template + words(text), text);
    },
  };
}

/**
 * Runs calls of the same shape only once and counts their work for each call. A backward pass runs twice, because from
 * the second one on it accumulates into existing gradients. All gradients are 1, because a policy skips zero gradients.
 */
function countedOnce(policy: Policy, work: Work): Policy {
  const known = new Map<string, { result: unknown; flops: number; calls: number }>();
  let backwards = 0;
  const once = async <T>(name: string, shape: unknown, run: () => Promise<T>): Promise<T> => {
    const key = `${name} ${JSON.stringify(shape)}`;
    const before = known.get(key);
    if (before) {
      work.flops += before.flops;
      work.calls += before.calls;
      return before.result as T;
    }
    const { flops, calls } = work;
    const result = await run();
    known.set(key, { result, flops: work.flops - flops, calls: work.calls - calls });
    return result;
  };
  const shapeOf = (sequences: readonly number[][], prompts: readonly number[]): unknown =>
    sequences.map((ids, i) => [ids.length, prompts[i], ids[0] === sequences[Math.max(0, i - 1)][0]]);
  return {
    ...policy,
    generate: (prompts, options) => {
      const { samplesPerPrompt, maxNewTokens, onProgress: _, ...rest } = options;
      const lengths = prompts.map(({ length }) => length);
      const shape = [lengths, samplesPerPrompt, maxNewTokens, rest.read !== undefined];
      return once('generate', shape, () =>
        policy.generate(prompts, { ...rest, samplesPerPrompt, maxNewTokens }),
      );
    },
    logprobs: (sequences, prompts, options = {}) => {
      const shape = [shapeOf(sequences, prompts), options.adapter];
      return once('logprobs', shape, () =>
        policy.logprobs(sequences, prompts, { ...options, onProgress: undefined }),
      );
    },
    async backward(sequences, prompts, { temperature, objective }) {
      const hasGradients = backwards++ > 0;
      const statistics = await once('backward', [shapeOf(sequences, prompts), hasGradients], () =>
        policy.backward(sequences, prompts, {
          temperature,
          objective: ({ logprobs, entropies }) => ({ logprobs: ones(logprobs), entropies: ones(entropies) }),
        }),
      );
      objective(statistics);
      return statistics;
    },
    update(options) {
      backwards = 0;
      return policy.update(options);
    },
  };
}

const ones = (rows: readonly Float32Array[]): Float32Array[] => rows.map((row) => row.map(() => 1));
