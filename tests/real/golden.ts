/**
 * PyTorch's results for SmolLM2-135M-Instruct (`../shared/fixtures/smollm2/make.py`), and a policy's results to
 * compare.
 */
import { expect } from 'vitest';
import type { Policy } from '../../src/index';
import { readSharedJson } from '../fixtures/shared';
import { largestDifference } from '../model/golden-policy';

interface GoldenPrompt {
  system: string | null;
  user: string;
  answer: string;
  rendered: string;
  prompt_ids: number[];
  answer_ids: number[];
  answer_log_probs: number[];
  next_top_ids: number[];
  next_top_logits: number[];
  greedy_ids: number[];
  greedy_text: string;
}

export interface Golden {
  prompts: GoldenPrompt[];
  lora: {
    r: number;
    alpha: number;
    slots: string[];
    advantages: number[];
    value: number;
    grad_norm: number;
    grad_norms: Record<string, [number, number]>;
  };
}

export const readGolden = (): Golden => readSharedJson('fixtures/smollm2/golden.json') as Golden;

/** The largest measured difference is 7e-5. */
const LOGPROB_TOLERANCE = 3e-4;
/** Logits reach 32, so f32 has fewer fractional digits for them than for log-probabilities. */
const LOGIT_TOLERANCE = 1e-3;

interface Question {
  prompt: GoldenPrompt;
  greedyTokens: number;
}

interface Answer {
  rendered: string;
  promptIds: number[];
  answerIds: number[];
  logprobs: number[];
  topLogits: number[];
  greedyIds: number[];
  greedyText: string;
}

/** Also runs in a page, to which it is sent as text, so it must use only its arguments. */
export async function answerOf(policy: Policy, { prompt, greedyTokens }: Question): Promise<Answer> {
  const tokenizer = policy.tokenizer!;
  const messages = [
    ...(prompt.system === null ? [] : [{ role: 'system' as const, content: prompt.system }]),
    { role: 'user' as const, content: prompt.user },
  ];
  const promptIds = tokenizer.chat(messages);
  const answerIds = [...tokenizer.encode(prompt.answer), ...policy.config.eosTokenIds];
  const { logprobs } = await policy.logprobs([[...promptIds, ...answerIds]], [promptIds.length]);
  const [logits] = await policy.logits([promptIds]);
  const last = logits.length - policy.config.vocabularySize;
  const [greedy] = await policy.generate([promptIds], {
    samplesPerPrompt: 1,
    maxNewTokens: greedyTokens,
    temperature: 0,
    seed: 0,
    stopIds: tokenizer.stopIds,
  });
  return {
    rendered: tokenizer.decode(promptIds, { keepSpecial: true }),
    promptIds,
    answerIds,
    logprobs: Array.from(logprobs[0]),
    topLogits: prompt.next_top_ids.map((id) => logits[last + id]),
    greedyIds: greedy.tokens,
    greedyText: tokenizer.decode(greedy.tokens, { keepSpecial: true }),
  };
}

/** The software WebGPU adapter takes 40 to 110 s for a prompt with 24 tokens on two busy cores; wasm takes 4 s. */
export function questionsFor(isSoftware: boolean): Question[] {
  const { prompts } = readGolden();
  if (!isSoftware) return prompts.map((prompt) => ({ prompt, greedyTokens: 24 }));
  const shortest = prompts.toSorted((a, b) => a.prompt_ids.length - b.prompt_ids.length)[0];
  return [{ prompt: shortest, greedyTokens: 4 }];
}

export function expectGolden({ prompt, greedyTokens }: Question, answer: Answer): void {
  expect(answer.rendered).toBe(prompt.rendered);
  expect(answer.promptIds).toEqual(prompt.prompt_ids);
  expect(answer.answerIds).toEqual(prompt.answer_ids);
  expect(largestDifference(answer.logprobs, prompt.answer_log_probs)).toBeLessThan(LOGPROB_TOLERANCE);
  expect(largestDifference(answer.topLogits, prompt.next_top_logits)).toBeLessThan(LOGIT_TOLERANCE);
  expect(answer.greedyIds).toEqual(prompt.greedy_ids.slice(0, greedyTokens));
  if (greedyTokens >= prompt.greedy_ids.length) expect(answer.greedyText).toBe(prompt.greedy_text);
}

/** Fills the adapter of rank 4 with the formulas of make.py. */
export async function restoreGoldenAdapter(policy: Policy, { lora }: Golden): Promise<void> {
  const state = await policy.state();
  const values: number[] = [];
  for (const { name, shape } of policy.trainable) {
    const [, layer, slot, matrix] = /layers\.(\d+)\.(.+)\.lora_([AB])\.weight$/.exec(name)!;
    const phase = Number(layer) + 0.1 * lora.slots.indexOf(slot);
    const [rows, columns] = shape;
    for (let i = 0; i < rows * columns; i++)
      values.push(
        matrix === 'A' ? Math.sin(0.37 * i + phase) / Math.sqrt(columns) : 0.01 * Math.cos(0.23 * i + phase),
      );
  }
  policy.restore({ ...state, parameters: Float32Array.from(values) });
}

/** Runs the golden LoRA step forward and backward, and compares the loss and each gradient norm. */
export async function expectGoldenStep(policy: Policy, { prompts, lora }: Golden): Promise<void> {
  const tokens = prompts.reduce((sum, { answer_ids: ids }) => sum + ids.length, 0);
  let loss = 0;
  await policy.backward(
    prompts.map((prompt) => [...prompt.prompt_ids, ...prompt.answer_ids]),
    prompts.map(({ prompt_ids: ids }) => ids.length),
    {
      objective: ({ logprobs }) => {
        const scales = lora.advantages.map((advantage) => -advantage / tokens);
        loss = logprobs.reduce((sum, row, i) => sum + scales[i] * row.reduce((a, b) => a + b, 0), 0);
        return { logprobs: logprobs.map((row, i) => row.map(() => scales[i])) };
      },
    },
  );
  expect(Math.abs(loss - lora.value)).toBeLessThan(1e-4);
  const gradients = await policy.gradients();
  expect(Object.keys(gradients)).toHaveLength(2 * Object.keys(lora.grad_norms).length);
  for (const [module, norms] of Object.entries(lora.grad_norms)) {
    for (const [i, matrix] of ['A', 'B'].entries()) {
      const gradient = gradients[`base_model.model.model.${module}.lora_${matrix}.weight`];
      const norm = Math.hypot(...gradient);
      expect(Math.abs(norm / norms[i] - 1), `${module} ${matrix}`).toBeLessThan(1e-3);
    }
  }
}
