/** What a model from elsewhere will cost: sizes by asking for them, device memory by arithmetic. */
import { toErrorReport } from '../src/error';
import { describeDevice, probeAdapter, requestDevice } from '../src/gpu/capabilities';
import { planMemory, refusePlan, surveyModel } from '../src/model/device/memory-plan';
import { predictStep, type Card, type StepBatch } from '../src/model/device/cost-model';
import { openSource } from '../src/model/source/source';
import type { RunConfig } from '../src/run/config';
import { modelSource, type ModelPlaces } from './backend';
import { openedWeightCache, openOptions } from './model-store';
import type { Preflight } from './protocol';

/** What many graphics reach in a browser: those of a laptop's processor, and a card of its own. Stated beside the figure. */
const integrated: Card = { bytesPerSecond: 60e9, flopsPerSecond: 1e12, secondsPerDispatch: 20e-6 };
const ownCard: Card = { bytesPerSecond: 400e9, flopsPerSecond: 8e12, secondsPerDispatch: 10e-6 };

/** Tokens that a prompt of Theory-of-Mind tasks has at most, with Qwen's tokenizer. */
const longestPrompt = 666;
/** Tokens that most have. */
const typicalPrompt = 256;

/** @throws MarbleError those of `openSource` and `surveyModel` */
export async function preflight(config: RunConfig, places: ModelPlaces): Promise<Preflight> {
  const { model, training, rollout, algorithm } = config;
  // A commit's list and small files are kept from now on. Elsewhere the cache would fetch weights to tell their size.
  const quiet = { emit: () => undefined, signal: new AbortController().signal };
  const open = model.kind === 'hub' ? await openOptions(config, quiet) : {};
  const files = await openSource(modelSource(config, places), open);
  const survey = await surveyModel(files);
  const cache = await openedWeightCache();
  const placed = survey.files.flatMap(({ name, size }) => {
    const address = files.address(name);
    return address === null ? [] : [{ address, size }];
  });
  const plan = planMemory(survey.config, {
    rank: training.mode === 'lora' ? training.rank : null,
    weights: training.mode === 'lora' ? 'bf16' : 'f32',
    rows: rollout.promptsPerStep * rollout.samplesPerPrompt,
    tokens: longestPrompt + rollout.maxNewTokens,
  });
  const { samplesPerPrompt, promptsPerStep, maxNewTokens } = rollout;
  const batch: StepBatch = {
    rank: training.mode === 'lora' ? training.rank : null,
    weights: 'bf16',
    prompts: promptsPerStep,
    samplesPerPrompt,
    promptTokens: typicalPrompt,
    responseTokens: maxNewTokens,
    reference: algorithm.kl.place !== 'none' && algorithm.kl.coefficient > 0,
  };
  const secondsOn = (card: Card): number => predictStep(survey.config, batch, card).seconds;
  const address = files.address('config.json');
  const adapter = await probeAdapter();
  let refusal = null;
  if (adapter !== null) {
    const device = await requestDevice(adapter);
    const error = refusePlan(plan, describeDevice(device, adapter.info));
    device.destroy();
    refusal = error && toErrorReport(error);
  }
  return {
    host: address === null ? null : new URL(address).host,
    what:
      model.kind === 'hub'
        ? `${model.repository} at commit ${model.revision}`
        : model.kind === 'files'
          ? model.name
          : files.label,
    bytes: survey.bytes,
    missing: (await cache.need(placed)).missing,
    parameters: survey.parameters,
    memory: plan.total,
    stepSeconds: { integrated: secondsOn(integrated), card: secondsOn(ownCard) },
    refusal,
  };
}
