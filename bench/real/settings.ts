/** One measured step, as step.ts and step.py read it from their argument and answer it on standard output. */
export interface StepSettings {
  /** Folder of the model. */
  model: string;
  /** Of a fresh adapter; null trains every weight. Ignored where `adapter` is given. */
  rank: number | null;
  /** Folder of a saved adapter. */
  adapter?: string;
  prompts: number;
  samples: number;
  newTokens: number;
  /** Length of prompts of random ids. */
  promptTokens: number;
  /** Chat messages that replace the random prompts; completions then end at a stop token. */
  messages?: string[];
  /** Whether the step scores its completions by the reference policy. */
  reference: boolean;
  /** Measured steps, of which the medians count; more than one follow a warm-up step. */
  steps: number;
  threads: number;
}

export const phases = ['sampling', 'reference', 'training', 'update'] as const;

export interface StepFigures {
  /** Seconds. */
  phases: Record<(typeof phases)[number], { cpu: number; wall: number }>;
  responseTokens: number;
  /** WebAssembly memory, in bytes. */
  heap?: number;
  /** Peak resident set of the process, in bytes. */
  resident: number;
}
