/**
 * Which backend runs a model fastest on this machine, by trying: a few decoding steps and one training pass at the
 * run's own batch, on every backend there is. A software WebGPU adapter loses to wasm, and for the smallest models a
 * real GPU may too, so no rule from afar decides; the caller shows the figures and lets the reader override them.
 */
import { MarbleError, toErrorReport, type ErrorReport } from '../../base/error';
import { checkKeys } from '../../base/known-keys';
import { openEngine, type BackendName, type EngineOptions } from '../../gpu/engine';
import { probeAdapter } from '../../gpu/capabilities';
import { parseModelConfig } from '../config';
import { loadPolicy, type LoadOptions } from '../load-policy';
import type { Policy } from '../policy';
import { parameterCount } from '../files/tensor-table';
import { openSource, type ModelSource } from '../source/source';

export interface BackendTiming {
  backend: BackendName;
  /** The GPU adapter's name; null on wasm and cpu. */
  adapter: string | null;
  /** One decoding step of the whole batch, in milliseconds. */
  decodeMs: number;
  /** One training pass over `trainTokens` tokens, in milliseconds. */
  trainMs: number;
  trainTokens: number;
  /** Estimate of one training step of the run, in seconds, and what of it is sampling. */
  secondsPerStep: number;
  sampleSeconds: number;
  /** Why the backend could not be timed; the figures are then 0. */
  error: ErrorReport | null;
}

export interface BackendChoice {
  backend: BackendName;
  /** One sentence for the page. */
  reason: string;
  timings: BackendTiming[];
}

/** The run's shape, for the estimate. */
export interface StepShape {
  prompts: number;
  samplesPerPrompt: number;
  /** Typical lengths in tokens. */
  promptTokens: number;
  responseTokens: number;
}

/** How far a timing is: of its parts, which are not equally long. */
export interface TimingProgress {
  /** What is timed now. */
  backend: BackendName;
  done: number;
  total: number;
}

/** Opened with its weights, then sampled and trained twice each. */
const PARTS = 5;

/** Above this many weights, a model is not tried on wasm where there is an adapter: loading it twice costs more. */
const LARGE_MODEL = 50e6;

/** Prompts of the timed training pass: a part of the batch, scaled up in the estimate. */
const TIMED_PROMPTS = 2;

/** @throws MarbleError `model/no-backend` when neither the GPU nor wasm runs the model */
export async function chooseBackend(
  source: ModelSource,
  shape: StepShape,
  options: LoadOptions & {
    engine?: EngineOptions;
    onProgress?: (progress: TimingProgress) => void;
  } = {},
): Promise<BackendChoice> {
  const loading = { lora: true, adapter: true, weights: true, open: true } as const;
  checkKeys('chooseBackend', options, { ...loading, engine: true, onProgress: true });
  if ((await probeAdapter()) === null) {
    return { backend: 'wasm', reason: 'There is no WebGPU adapter here.', timings: [] };
  }
  const files = await openSource(source, options.open);
  if (parameterCount(parseModelConfig(await files.json('config.json'))) > LARGE_MODEL) {
    return { backend: 'webgpu', reason: 'The model is too large for anything but the GPU.', timings: [] };
  }
  if (options.lora?.arithmetic === 'f16') {
    return { backend: 'webgpu', reason: 'Nothing but the GPU multiplies in f16.', timings: [] };
  }
  const candidates = ['webgpu', 'wasm'] as const;
  const timings: BackendTiming[] = [];
  for (const [index, backend] of candidates.entries()) {
    const tell = (part: number): void =>
      options.onProgress?.({ backend, done: PARTS * index + part, total: PARTS * candidates.length });
    tell(0);
    timings.push(await timeBackend(backend, source, shape, options, tell));
  }
  const running = timings.filter(({ error }) => error === null);
  if (running.length === 0) {
    throw new MarbleError(
      'model/no-backend',
      `No backend runs this model: ${timings.map(({ backend, error }) => `${backend}: ${error?.message}`).join(' ')}`,
      'Use a current browser with hardware acceleration on.',
    );
  }
  const fastest = running.reduce((best, timing) =>
    timing.secondsPerStep < best.secondsPerStep ? timing : best,
  );
  const described = timings.map(
    ({ backend, adapter: name, secondsPerStep, error }) =>
      `${backend}${name === null ? '' : ` (${name})`} ${error ? 'failed' : `about ${secondsPerStep.toFixed(2)} s per step`}`,
  );
  return { backend: fastest.backend, reason: `Timed here before the run: ${described.join(', ')}.`, timings };
}

async function timeBackend(
  backend: BackendName,
  source: ModelSource,
  shape: StepShape,
  options: LoadOptions & { engine?: EngineOptions },
  onPart: (done: number) => void,
): Promise<BackendTiming> {
  const timing: BackendTiming = {
    backend,
    adapter: null,
    decodeMs: 0,
    trainMs: 0,
    trainTokens: 0,
    secondsPerStep: 0,
    sampleSeconds: 0,
    error: null,
  };
  try {
    const engine = await openEngine({ ...options.engine, backend });
    try {
      timing.adapter = engine.capabilities?.adapterName ?? null;
      const { lora, adapter, weights, open } = options;
      const policy = await loadPolicy(engine, source, { lora, adapter, weights, open });
      onPart(1);
      Object.assign(timing, await timePolicy(policy, shape, (done) => onPart(1 + done)));
      policy.dispose();
    } finally {
      engine.dispose();
    }
  } catch (thrown) {
    timing.error = toErrorReport(thrown);
  }
  return timing;
}

/** Times a loaded policy; the first, uncounted round compiles shaders and fills pools. */
export async function timePolicy(
  policy: Policy,
  shape: StepShape,
  onPart: (done: number) => void = () => undefined,
): Promise<Omit<BackendTiming, 'backend' | 'adapter' | 'error'>> {
  const token = (position: number): number => position % policy.config.vocabularySize;
  const prompts = Array.from({ length: shape.prompts }, (_, prompt) =>
    Array.from({ length: shape.promptTokens }, (_unused, position) => token(prompt + position)),
  );
  const generate = async (tokens: number): Promise<number> => {
    const start = performance.now();
    await policy.generate(prompts, {
      samplesPerPrompt: shape.samplesPerPrompt,
      maxNewTokens: tokens,
      temperature: 1,
      seed: 0,
      stopIds: [],
    });
    return performance.now() - start;
  };
  const sequences = prompts
    .slice(0, TIMED_PROMPTS)
    .flatMap((prompt) =>
      Array.from({ length: shape.samplesPerPrompt }, () => [
        ...prompt,
        ...Array.from({ length: shape.responseTokens }, (_, position) => token(position)),
      ]),
    );
  const promptLengths = sequences.map(() => shape.promptTokens);
  const train = async (): Promise<number> => {
    const start = performance.now();
    await policy.backward(sequences, promptLengths, {
      objective: ({ logprobs }) => ({ logprobs: logprobs.map((row) => row.map(() => 1)) }),
    });
    await policy.gradients();
    return performance.now() - start;
  };

  await generate(2);
  onPart(1);
  const prefill = await generate(1);
  const decodeMs = Math.max(0.01, (await generate(9)) - prefill) / 8;
  onPart(2);
  await train();
  onPart(3);
  const trainMs = await train();
  onPart(4);
  const trainTokens = sequences.length * (shape.promptTokens + shape.responseTokens);
  // a reference pass costs about a third of a training pass, which recomputes what it runs forward
  const training = (trainMs * 4 * shape.prompts) / ((3 * sequences.length) / shape.samplesPerPrompt);
  const sampleSeconds = (prefill + decodeMs * shape.responseTokens) / 1000;
  return { decodeMs, trainMs, trainTokens, sampleSeconds, secondsPerStep: sampleSeconds + training / 1000 };
}
