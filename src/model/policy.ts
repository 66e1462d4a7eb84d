/** Interface of a trainable language model. `createTransformerPolicy` in `transformer-policy.ts` implements it. */
import type { BackendName } from '../gpu/engine';
import type { AdapterConfig } from './files/adapter-files';
import type { Tokenizer } from './tokenizer/tokenizer';
import type { CompileProgress } from '../gpu/kernel';
import type { AdamWSettings } from '../ops/adamw';
import type { ModelConfig } from './config';

export type { CompileProgress };

export interface Completion {
  /** Response tokens, including the stop token if there is one. */
  tokens: number[];
  /** log p(token) at logits / temperature (temperature 1 for greedy sampling), one per token. */
  logprobs: Float32Array;
  /** True if the completion ends with a stop id, false if it was truncated at `maxNewTokens`. */
  finished: boolean;
}

/** Handle of prompts with a KV cache on the device. Valid until the weights change. */
export interface ReadPrompts {
  dispose(): void;
}

export interface GenerateOptions {
  samplesPerPrompt: number;
  maxNewTokens: number;
  /** 0 is greedy. */
  temperature: number;
  /** Unsigned 32-bit. A draw depends only on (seed, stream, row, position, token). */
  seed: number;
  /** Separates draws of one seed, for example by training step. */
  stream?: number;
  stopIds: number[];
  /** Caches of all prompts, to avoid a prefill. */
  read?: ReadPrompts;
  /**
   * Called between chunks of the prefill and between readbacks with the numbers of decoded positions and of finished
   * completions. Sampling awaits the result, which allows pausing a run, and ends with the reason if it rejects.
   */
  onProgress?: (decoded: number, finished?: number) => Promise<void>;
}

/** Log-probability and entropy (nats) of every response token, one array per sequence. */
export interface TokenStatistics {
  logprobs: Float32Array[];
  entropies: Float32Array[];
}

/** d loss / d logprob and d loss / d entropy of every response token, in the shapes of `TokenStatistics`. */
export interface TokenGradients {
  logprobs: readonly ArrayLike<number>[];
  entropies?: readonly ArrayLike<number>[];
}

export interface AdamWOptions extends Omit<AdamWSettings, 'update' | 'gradientScale'> {
  /** Global gradient norm is clipped to this. */
  maxGradNorm: number;
}

/** Progress of a pass over many sequences. It receives the completed fraction between device batches, and the pass awaits it. */
export type PassProgress = (fraction: number) => Promise<void>;

/** Description of the flat arrays of a state, with which they can be written as files without the model. */
export interface StateLayout {
  /** In the order of `Policy.trainable`. */
  tensors: readonly { name: string; shape: readonly number[] }[];
  /** Adapter to which the tensors belong; null if every weight is trained. */
  adapter: AdapterConfig | null;
}

/** Complete training state, from which a run resumes bitwise identically. Flat arrays in the order of `Policy.trainable`. */
export interface PolicyState {
  parameters: Float32Array;
  moment1: Float32Array;
  moment2: Float32Array;
  /** Number of updates, for Adam's bias correction. */
  updates: number;
  /** Frozen reference parameters; null for LoRA with a new adapter, whose reference is the model without the adapter. */
  reference: Float32Array | null;
  /** Missing in checkpoints of older versions. */
  layout?: StateLayout;
}

export interface Policy {
  readonly config: ModelConfig;
  readonly tokenizer: Tokenizer | null;
  /** Trained parameters, in the order of the flat arrays of `PolicyState`. */
  readonly trainable: readonly { name: string; shape: readonly number[] }[];
  /** Backend. On the CPU the log-probabilities of sampling and of a training pass differ only by rounding. */
  readonly runsOn: BackendName;

  /** Logits of every position, `[T * vocabulary]` for each sequence. For inspection and tests; training does not call it. */
  logits(ids: number[][], options?: { adapter?: 'on' | 'off' }): Promise<Float32Array[]>;

  /**
   * Prefills prompts for later calls of `generate` with the result as `read`. The caller disposes of it. After an
   * `update` or `restore` these calls throw `model/stale-prompts`.
   */
  readPrompts(prompts: number[][], options?: { onProgress?: PassProgress }): Promise<ReadPrompts>;

  /**
   * Samples completions of all prompts (token ids) in one batch.
   *
   * @returns `prompts.length * samplesPerPrompt` completions; sample s of prompt p has index `p * samplesPerPrompt + s`
   * @throws MarbleError `model/too-long` if a prompt and its completion exceed the model's positions
   */
  generate(prompts: number[][], options: GenerateOptions): Promise<Completion[]>;

  /**
   * Computes log-probabilities and entropies of all tokens after the prompt. `adapter: 'off'` uses the reference policy: the
   * frozen copy if there is one, else the model without its adapter.
   */
  logprobs(
    sequences: number[][],
    promptLengths: number[],
    options?: { temperature?: number; adapter?: 'on' | 'off'; onProgress?: PassProgress },
  ): Promise<TokenStatistics>;

  /**
   * Runs all sequences forward, calls `objective` once for the gradient of the loss with respect to each response token's
   * log-probability and entropy, and accumulates the gradients of the parameters. If `onProgress` rejects, the gradients
   * accumulated so far remain; `restore` drops them, and the next `update` would apply them.
   *
   * @returns the log-probabilities and entropies before the update, as passed to `objective`
   */
  backward(
    sequences: number[][],
    promptLengths: number[],
    options: {
      temperature?: number;
      objective: (tokens: TokenStatistics) => TokenGradients;
      onProgress?: PassProgress;
    },
  ): Promise<TokenStatistics>;

  /**
   * Compiles the kernels of the calls in `work` in parallel, without running them. The results of these calls are meaningless,
   * and the policy does not change. `work` must not call methods that change the policy, except `backward`. Also compiles the
   * kernels of an update. Missing on backends without kernels to compile.
   */
  compileAhead?(work: (policy: Policy) => Promise<unknown>, onProgress: CompileProgress): Promise<number>;

  /** Accumulated gradients by parameter name. */
  gradients(): Promise<Record<string, Float32Array>>;

  /**
   * Applies one AdamW step with the accumulated gradients and resets them to zero. A gradient that is not finite is not applied.
   *
   * @returns the global norm before clipping, and whether the step was applied
   */
  update(options: AdamWOptions): Promise<{ gradNorm: number; applied: boolean }>;

  /** Makes the current parameters the reference policy and resets the optimiser, at the start of RL. */
  freezeReference(): void;

  /** Copies the training state from the device. */
  state(): Promise<PolicyState>;
  /** @throws MarbleError `model/weights-not-finite`, and leaves the policy unchanged */
  restore(state: PolicyState): void;

  /** Exports a LoRA adapter in PEFT's layout: `adapter_config.json` and `adapter_model.safetensors`. */
  exportAdapter(): Promise<Record<string, Blob>>;
  /** Exports a fully trained model: `config.json` and `model.safetensors` in f32. */
  exportModel(): Promise<Record<string, Blob>>;

  dispose(): void;
}
