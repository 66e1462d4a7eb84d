/** What the trainer asks of a language model. One implementation: `createPolicy` in `transformer-policy.ts`. */
import type { BackendName } from '../gpu/engine';
import type { AdapterConfig } from './files/adapter-config';
import type { Tokenizer } from './tokenizer/tokenizer';
import type { CompileProgress } from '../gpu/compile-ahead';
import type { AdamWSettings } from '../ops/adamw';
import type { ModelConfig } from './config';

export type { CompileProgress };

export interface Completion {
  /** Response tokens, the stop token included when one was drawn. */
  tokens: number[];
  /** log p(token) at logits / temperature (temperature 1 where greedy), one per token. */
  logprobs: Float32Array;
  /** Whether a stop id ended it; false means cut off at `maxNewTokens`. */
  finished: boolean;
}

/** Prompts whose keys and values are held on the device. Valid until the weights change. */
export interface ReadPrompts {
  dispose(): void;
}

export interface GenerateOptions {
  samplesPerPrompt: number;
  maxNewTokens: number;
  /** 0 is greedy. */
  temperature: number;
  /** Unsigned 32-bit. A draw depends on (seed, stream, row, position, token) and on nothing else. */
  seed: number;
  /** Separates draws of one seed: the training step. */
  stream?: number;
  stopIds: number[];
  /** Holds all of the prompts, so that they are not read again. */
  read?: ReadPrompts;
  /**
   * Called between prompts that are read, and between readbacks, with the number of positions decoded so far. The next waits for what it returns, so that
   * a run can stand still here; where it rejects, sampling ends with its reason.
   */
  onProgress?: (decoded: number) => Promise<void>;
}

/** log-probability and entropy (nats) of every response token, one array per sequence. */
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

/** Of a pass over many sequences: told the share done between the parts that run at once, and waited for. */
export type PassProgress = (share: number) => Promise<void>;

/** What the flat arrays of a state hold, so that they can be written as files without the model. */
export interface StateLayout {
  /** In the order of `Policy.trainable`. */
  tensors: readonly { name: string; shape: readonly number[] }[];
  /** What the tensors are the matrices of; null where every weight is trained. */
  adapter: AdapterConfig | null;
}

/** All that training has changed; with it a run goes on to the bit. Flat, in the order of `Policy.trainable`. */
export interface PolicyState {
  parameters: Float32Array;
  moment1: Float32Array;
  moment2: Float32Array;
  /** Updates taken, for Adam's bias correction. */
  updates: number;
  /** Frozen reference parameters; null where LoRA began with a fresh adapter, whose reference is the adapter off. */
  reference: Float32Array | null;
  /** Missing from checkpoints that versions before this field have kept. */
  layout?: StateLayout;
}

export interface Policy {
  readonly config: ModelConfig;
  readonly tokenizer: Tokenizer | null;
  readonly trainable: readonly { name: string; shape: readonly number[] }[];
  /** Where it computes. On the CPU the sampler's log-probabilities are those of a training pass but for rounding. */
  readonly runsOn: BackendName;

  /** Logits of every position, row by row, `[T * vocabulary]` each. For inspection and tests: never on a training path. */
  logits(ids: number[][], options?: { adapter?: 'on' | 'off' }): Promise<Float32Array[]>;

  /**
   * Reads prompts for calls of `generate` and `logprobs` that take the result as `read`. The caller disposes of it.
   * After an `update` or `restore` those calls throw `model/stale-prompts`.
   */
  readPrompts(prompts: number[][], options?: { onProgress?: PassProgress }): Promise<ReadPrompts>;

  /** prompts x samples at once; sample s of prompt p stands at `p * samplesPerPrompt + s`. */
  generate(prompts: number[][], options: GenerateOptions): Promise<Completion[]>;

  /**
   * log-probabilities and entropies of everything after the prompt. `adapter: 'off'` is the reference policy: the frozen
   * copy where one was taken, else the model without its adapter. With `read`, which holds all of the prompts, only what
   * follows them runs, token by token.
   */
  logprobs(
    sequences: number[][],
    promptLengths: number[],
    options?: { temperature?: number; onProgress?: PassProgress } & (
      { adapter?: 'on' | 'off'; read?: undefined } | { adapter?: 'on'; read: ReadPrompts }
    ),
  ): Promise<TokenStatistics>;

  /**
   * Runs all sequences forward, asks `objective` once for the gradient of the loss by each response token's
   * log-probability and entropy, and adds the parameters' gradients to those already held. Where `onProgress` rejects,
   * what was added stays, and is dropped by `restore` or taken by the next `update`.
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
   * Compiles the kernels of the calls that `work` makes on the policy it is given, several at a time, before they are made
   * for real. Nothing is run: what those calls answer means nothing, and nothing of them stays. `work` calls no method
   * that changes the policy but `backward`. An update's own kernels are compiled with the rest. Absent where the backend
   * has nothing to compile.
   */
  compileAhead?(work: (policy: Policy) => Promise<unknown>, onProgress: CompileProgress): Promise<number>;

  /** Accumulated gradients by parameter name. */
  gradients(): Promise<Record<string, Float32Array>>;

  /**
   * One AdamW step on the accumulated gradients, which are then zero. A gradient that is not finite changes nothing.
   *
   * @returns the global norm before clipping, and whether the step was taken
   */
  update(options: AdamWOptions): Promise<{ gradNorm: number; applied: boolean }>;

  /** Makes the present parameters the reference policy and forgets the optimiser's moments: RL starts here. */
  freezeReference(): void;

  state(): Promise<PolicyState>;
  restore(state: PolicyState): void;

  /** A LoRA adapter in PEFT's layout: `adapter_config.json` and `adapter_model.safetensors`. */
  exportAdapter(): Promise<Record<string, Blob>>;
  /** A fully trained model: `config.json` and `model.safetensors` in f32. */
  exportModel(): Promise<Record<string, Blob>>;

  dispose(): void;
}
