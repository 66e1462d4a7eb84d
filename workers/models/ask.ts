/** A visitor's question, answered by the model as it began and as a run's last checkpoint has it. */
import type { Checkpoint } from '../../src/run/record/events';
import { adapterSource, modelSource, type ModelPlaces } from './backend';
import { openOptions } from './model-store';
import type { AnsweredQuestion, AskedQuestion, ChosenBackend } from '../protocol';

const SAMPLES = 6;

/**
 * @param trained - of the run that is asked; null asks the start alone
 * @param backend - that of the run
 */
export async function answered(
  { config, item, seed }: AskedQuestion,
  trained: Checkpoint | null,
  backend: ChosenBackend['backend'],
  places: ModelPlaces & { wasmUrl: string },
): Promise<AnsweredQuestion> {
  const { answerQuestion, loadPolicy, openEngine } = await import('../../src/index');
  const files = await openOptions(config, {
    emit: () => undefined, // what a run has fetched is here already
    signal: new AbortController().signal,
  });
  const engine = await openEngine({ backend, wasmUrl: places.wasmUrl });
  try {
    const policy = await loadPolicy(engine, modelSource(config, places), {
      lora: config.training.mode === 'lora' ? config.training : undefined,
      adapter: adapterSource(config, places),
      open: files,
    });
    try {
      const options = { samples: SAMPLES, seed };
      const start = await answerQuestion(policy, item, config, { ...options, step: 0 });
      if (trained === null) return { start, now: null };
      policy.restore(trained.policy);
      const { step } = trained;
      return { start, now: { step, ...(await answerQuestion(policy, item, config, { ...options, step })) } };
    } finally {
      policy.dispose();
    }
  } finally {
    engine.dispose();
  }
}
