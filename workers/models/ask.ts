/** Answers a visitor's question with the initial model and with the last checkpoint of a run. */
import type { Answers, ModelSource } from '../../src/index';
import type { RunConfig } from '../../src/run/config/config';
import { sameConfig } from '../../src/run/config/fields';
import { presetOf } from '../../src/run/config/presets';
import type { Checkpoint } from '../../src/run/record/events';
import { adapterSource, modelSource, type ModelPlaces } from './backend';
import { openOptions } from './model-store';
import type { AnsweredQuestion, AskedQuestion, ChosenBackend } from '../protocol';

const SAMPLES = 6;

/** Final weights of a ladder preset's run, shipped with its initial ones (`scripts/record/record.ts`); null for other runs. */
export function trainedCopyOf(config: RunConfig, base: string): { url: string; step: number } | null {
  const { model, preset, checkpointEvery, evaluation } = config;
  const own =
    model.kind === 'embedded' && /^ladder-/.test(model.name) ? presetOf({ preset: model.name }) : null;
  // These settings do not affect the final weights.
  if (own === null || !sameConfig(config, { ...own, preset, checkpointEvery, evaluation })) return null;
  return { url: new URL(`models/${own.preset}/trained/`, base).href, step: own.steps };
}

/**
 * @param trained - checkpoint of the run; if null, the initial model answers, and its shipped trained copy if there
 * is one
 * @param backend - backend of the run
 */
export async function answered(
  { config, item, seed }: AskedQuestion,
  trained: Checkpoint | null,
  backend: ChosenBackend['backend'],
  places: ModelPlaces,
  signal: AbortSignal,
): Promise<AnsweredQuestion> {
  const { answerQuestion, loadPolicy, openEngine } = await import('../../src/index');
  const open = await openOptions(config, { signal });
  const copy = trained === null ? trainedCopyOf(config, places.base) : null;
  const engine = await openEngine({ backend, wasmUrl: places.wasmUrl });
  const answersOf = async (
    source: ModelSource,
    states: readonly { step: number; policy?: Checkpoint['policy'] }[],
  ): Promise<(Answers & { step: number })[]> => {
    const policy = await loadPolicy(engine, source, {
      lora: config.training.mode === 'lora' ? config.training : undefined,
      adapter: adapterSource(config, places),
      open,
    });
    try {
      const found = [];
      for (const { step, policy: weights } of states) {
        if (weights !== undefined) policy.restore(weights);
        const options = { samples: SAMPLES, seed, step };
        found.push({ step, ...(await answerQuestion(policy, item, config, options)) });
      }
      return found;
    } finally {
      policy.dispose();
    }
  };
  try {
    const states = [{ step: 0 }, ...(trained === null ? [] : [trained])];
    const [start, now = null] = await answersOf(modelSource(config, places), states);
    if (copy === null) return { start, now };
    const [after] = await answersOf({ url: copy.url }, [{ step: copy.step }]);
    return { start, now: after };
  } finally {
    engine.dispose();
  }
}
