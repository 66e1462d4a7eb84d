/**
 * Compiles the kernels of a run before its first evaluation, by tracing the calls of an evaluation and of a step in the
 * run's own shapes without executing them. Sampling is also traced with fewer rows, as occur when most rows have ended.
 */
import type { CompileProgress, GenerateOptions, Policy } from '../model/policy';
import { decodedTogether, evaluationRows } from '../base/rows-at-once';
import { decodedLengths, encodePrompt, stopIdsOf, suitePrompts } from './rollout';
import { usesReference } from '../objective/algorithm';
import type { Run } from './trainer-state';

/** Length of the traced answers; kernels of a training pass depend on the number of rows, not on their lengths. */
const ANSWER_TOKENS = 16;

/** Compiles the kernels of a run; returns immediately if the policy has none to compile. */
export async function compileRun(
  { policy, config, source, state }: Run,
  onProgress: CompileProgress,
): Promise<void> {
  if (!policy.compileAhead) return;
  const { rollout, algorithm, seed } = config;
  const { suite } = source;
  const prompts = suitePrompts(policy, suite);
  const batch = prompts.slice(0, evaluationRows(policy.config, decodedLengths(prompts, suite.maxNewTokens)));
  const { samplesPerPrompt, maxNewTokens, temperature } = rollout;
  const answerTokens = config.method === 'rl' ? maxNewTokens : 1; // gold completions may be shorter
  const trained = source
    .training(state.cursor, rollout.promptsPerStep)
    .map((item) => encodePrompt(policy, item, answerTokens));
  const together = decodedTogether(policy.config, {
    prompts: trained.length,
    samples: samplesPerPrompt,
    ...decodedLengths(trained, maxNewTokens),
  });

  await policy.compileAhead(async (dry) => {
    const sampling = { seed, stopIds: stopIdsOf(policy) };
    const read = await dry.readPrompts(batch);
    const once = { ...sampling, samplesPerPrompt: 1, maxNewTokens: suite.maxNewTokens, read };
    for (const at of [0, temperature]) await sampleOnce(dry, batch, { ...once, temperature: at });
    read.dispose();
    if (config.method === 'rl') {
      const first = trained.slice(0, together.prompts);
      const several = { ...sampling, samplesPerPrompt: together.samples, maxNewTokens, temperature };
      await sampleOnce(dry, first, several);
    }
    const most = Math.max(batch.length, config.method === 'rl' ? samplesPerPrompt * trained.length : 0);
    for (const rows of fewerRows(most)) {
      const one = { ...sampling, samplesPerPrompt: rows, maxNewTokens, temperature };
      await sampleOnce(dry, batch.slice(0, 1), one);
    }
    const samples = trained.flatMap((prompt) => new Array<number[]>(samplesPerPrompt).fill(prompt));
    const sequences = samples.map(answered);
    if (config.method === 'rl' && usesReference(algorithm))
      await dry.logprobs(sequences, lengthsOf(samples), { adapter: 'off', temperature });
    await dry.backward(sequences, lengthsOf(samples), {
      temperature,
      objective: ({ logprobs, entropies }) => {
        const ones = (rows: readonly Float32Array[]): Float32Array[] => rows.map((row) => row.map(() => 1));
        return { logprobs: ones(logprobs), entropies: ones(entropies) };
      },
    });
  }, onProgress);
}

const answered = (prompt: readonly number[]): number[] => [
  ...prompt,
  ...new Array<number>(ANSWER_TOKENS).fill(0),
];

const lengthsOf = (prompts: readonly (readonly number[])[]): number[] => prompts.map(({ length }) => length);

/** Numbers of rows below `most` at which sampling uses other kernels, because the choice of tiles changes there. */
function fewerRows(most: number): number[] {
  return [1, 2, 4, 8, 12, 16, 32, 64, 128, 256].filter((rows) => rows < most);
}

/** Number of tokens after which sampling uses no new kernels, since it has been read back once. */
const SAMPLED_TOKENS = 16;

async function sampleOnce(dry: Policy, prompts: number[][], options: GenerateOptions): Promise<void> {
  const enough = new Error('All kernels of sampling are asked for.');
  const onProgress = (decoded: number): Promise<void> =>
    decoded < SAMPLED_TOKENS ? Promise.resolve() : Promise.reject(enough);
  await dry.generate(prompts, { ...options, onProgress }).catch((thrown: unknown) => {
    if (thrown !== enough) throw thrown;
  });
}
