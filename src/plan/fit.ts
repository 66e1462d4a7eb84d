/** Checks whether a run fits into the memory of this computer, and which setting to lower if it does not. */
import { MarbleError } from '../base/error';
import type { Capabilities } from '../gpu/capabilities';
import type { BackendName } from '../gpu/engine';
import { MOST_HEAP_BYTES } from '../gpu/heap-count';
import type { DryBackend } from '../gpu/dry/engine';
import type { ModelConfig } from '../model/config';
import type { ImportedItems } from '../rl/data';
import type { RunConfig } from '../run/config/config';
import { questionCounts } from '../run/config/evaluation-plan';
import { megabytes, type RunPlan } from '../run/estimate';
import { planRun } from './plan-run';

/** The machine of a run. */
export interface Machine {
  backend: BackendName;
  capabilities: Pick<Capabilities, 'maxBufferBytes' | 'maxBindingBytes'> | null;
}

const dryBackend = ({ backend }: Machine): DryBackend => (backend === 'webgpu' ? 'webgpu' : 'wasm');

/** The resource that a plan exceeds, as an error; null if the run fits. A GPU does not report its amount of memory. */
function shortageOf({ bytes, largest }: RunPlan, { backend, capabilities }: Machine): MarbleError | null {
  const refuse = (code: 'model/memory-too-small' | 'model/adapter-too-small', message: string) =>
    new MarbleError(code, message, 'Choose a smaller model.');
  if (backend === 'wasm' && bytes.peak > MOST_HEAP_BYTES) {
    return refuse(
      'model/memory-too-small',
      `The run needs ${megabytes(bytes.peak)} of memory, and the CPU backend holds at most ${megabytes(MOST_HEAP_BYTES)}.`,
    );
  }
  if (capabilities === null) return null;
  for (const [needed, most] of [
    [largest.allocated, capabilities.maxBufferBytes],
    [largest.bound, capabilities.maxBindingBytes],
  ]) {
    if (needed <= most) continue;
    return refuse(
      'model/adapter-too-small',
      `The run needs a buffer of ${megabytes(needed)}, and this graphics adapter takes at most ${megabytes(most)} at once.`,
    );
  }
  return null;
}

/** A setting with lower values, in descending order. */
interface Setting {
  name: string;
  from: string | number;
  values: { to: string | number; config: RunConfig }[];
}

/**
 * Settings that need less memory when lowered, in order of their effect on the run, smallest first; halved down to an
 * eighth.
 */
function settingsOf(run: RunConfig): Setting[] {
  const { rollout, optimizer, evaluation, training } = run;
  const halved = (
    name: string,
    from: number,
    least: number,
    change: (to: number) => Partial<RunConfig>,
  ): Setting => {
    const values = [2, 4, 8].map((part) => Math.floor(from / part)).filter((to) => to >= least);
    return { name, from, values: values.map((to) => ({ to, config: { ...run, ...change(to) } })) };
  };
  const microBatch = optimizer.microBatch || rollout.promptsPerStep * rollout.samplesPerPrompt;
  const lora = { mode: 'lora' as const, rank: 16, alpha: 32 };
  const { look, ends, hard, validation, task, imported } = questionCounts(run);
  const asked = Object.entries({
    ...{ items: look, finalItems: ends, hardItems: hard, validationItems: validation, taskItems: task },
    importedItems: evaluation.imported === undefined ? 0 : imported,
  }).filter(([, count]) => count > 0);
  const names = asked.map(([name]) => `evaluation.${name}`);
  const questions = halved(
    `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`,
    Math.max(...asked.map(([, count]) => count)),
    4,
    (to) => {
      const fewer = Object.fromEntries(asked.map(([name, count]) => [name, Math.min(count, to)]));
      return { evaluation: { ...evaluation, ...fewer } };
    },
  );
  return [
    halved('optimizer.microBatch', microBatch, 1, (to) => ({ optimizer: { ...optimizer, microBatch: to } })),
    halved('rollout.maxNewTokens', rollout.maxNewTokens, 16, (to) => ({
      rollout: { ...rollout, maxNewTokens: to },
    })),
    halved('rollout.samplesPerPrompt', rollout.samplesPerPrompt, 2, (to) => ({
      rollout: { ...rollout, samplesPerPrompt: to },
    })),
    { ...questions, values: questions.values.map(({ to, config }) => ({ to: `at most ${to}`, config })) },
    {
      name: 'training.mode',
      from: 'full',
      values: training.mode === 'full' ? [{ to: 'lora', config: { ...run, training: lora } }] : [],
    },
  ];
}

interface Planning {
  model: ModelConfig;
  config: RunConfig;
  machine: Machine;
  imported?: ImportedItems;
}

/** Repeats the dry run with each setting lowered, and names the first setting and the smallest reduction that fit. */
async function adviceFor(
  { model, config, machine, imported }: Planning,
  fits: (plan: RunPlan) => boolean,
): Promise<string> {
  const planWith = (lowered: RunConfig): Promise<RunPlan> =>
    planRun(model, lowered, dryBackend(machine), imported);
  for (const { name, from, values } of settingsOf(config)) {
    const least = values.at(-1);
    if (least === undefined || !fits(await planWith(least.config))) continue;
    for (const { to, config: lowered } of values) {
      const plan = await planWith(lowered);
      if (!fits(plan)) continue;
      return `Set ${name} to ${to} instead of ${from}: the run then needs ${megabytes(plan.bytes.peak)}.`;
    }
  }
  return 'No single setting makes it fit: choose a smaller model.';
}

/** @returns the error that refuses the plan and names the setting to lower; null if the run fits */
export async function refusalOf(plan: RunPlan, planning: Planning): Promise<MarbleError | null> {
  const shortage = shortageOf(plan, planning.machine);
  if (shortage === null) return null;
  const advice = await adviceFor(planning, (lowered) => shortageOf(lowered, planning.machine) === null);
  return new MarbleError(shortage.code, shortage.message, advice);
}

/** Fraction of the planned memory that a run may use after it ran out of memory; other programs hold the rest. */
const SHARE_AFTER_FAULT = 0.75;

/** The setting to lower after a run ran out of memory although its plan fitted. */
export async function adviceAfterFault(planning: Planning): Promise<string> {
  const { model, config, machine, imported } = planning;
  const { bytes } = await planRun(model, config, dryBackend(machine), imported);
  return adviceFor(planning, (lowered) => lowered.bytes.peak < SHARE_AFTER_FAULT * bytes.peak);
}
