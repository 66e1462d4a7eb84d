/**
 * Settings and result of one measured step. step.ts and step.py read the settings from their argument and print the
 * result.
 */
export interface StepSettings {
  /** Folder of the model. */
  model: string;
  /** Rank of a fresh adapter; null trains every weight. Ignored if `adapter` is given. */
  rank: number | null;
  /** Folder of a saved adapter. */
  adapter?: string;
  prompts: number;
  samples: number;
  newTokens: number;
  /** Length of prompts with random ids. */
  promptTokens: number;
  /** Chat messages that replace the random prompts; completions then end at a stop token. */
  messages?: string[];
  /** Scores the completions with the reference policy as well. */
  reference: boolean;
  /** Number of measured steps, whose medians are reported; several steps follow a warm-up step. */
  steps: number;
  /** On `wasm`. */
  threads: number;
  backend: 'wasm' | 'webgpu';
}

export const phases = ['sampling', 'reference', 'training', 'update'] as const;

export interface StepFigures {
  /** Seconds. */
  phases: Record<(typeof phases)[number], { cpu: number; wall: number }>;
  responseTokens: number;
  /** WebAssembly memory, or the GPU memory of all buffers, in bytes. */
  heap?: number;
  /** Peak resident set of the process, in bytes. */
  resident: number;
}
