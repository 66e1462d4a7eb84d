/** What a model from elsewhere will cost: sizes by asking for them, device memory by arithmetic. */
import { toErrorReport } from '../../src/base/error';
import { describeDevice, probeAdapter, requestDevice } from '../../src/gpu/capabilities';
import { planMemory, refusePlan, surveyModel } from '../../src/model/device/memory-plan';
import { INTEGRATED, OWN_CARD, predictStep, type StepBatch } from '../../src/model/device/cost-model';
import { openSource } from '../../src/model/source/source';
import type { RunConfig } from '../../src/run/config/config';
import { modelSource, type ModelPlaces } from './backend';
import { openedWeightCache, openOptions } from './model-store';
import { modelName } from '../../src/share/name';
import { batchOf, memorySettings } from '../../src/run/config/memory-settings';
import type { Preflight } from '../protocol';

/** @throws MarbleError those of `openSource` and `surveyModel` */
export async function preflight(config: RunConfig, places: ModelPlaces): Promise<Preflight> {
  const { model, rollout } = config;
  // A commit's list and small files are kept from now on. Elsewhere the cache would fetch weights to tell their size.
  const open = model.kind === 'hub' ? await openOptions(config) : {};
  const files = await openSource(modelSource(config, places), open);
  const survey = await surveyModel(files);
  const cache = await openedWeightCache();
  const placed = survey.files.flatMap(({ name, size }) => {
    const address = files.address(name);
    return address === null ? [] : [{ address, size }];
  });
  const plan = planMemory(survey.config, memorySettings(config));
  // Of responses of full length.
  const batch: StepBatch = { ...batchOf(config), weights: 'bf16', responseTokens: rollout.maxNewTokens };
  const secondsOn = (card: typeof OWN_CARD) => predictStep(survey.config, batch, card).seconds;
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
    what: modelName(model),
    bytes: survey.bytes,
    missing: await cache.missing(placed),
    parameters: survey.parameters,
    memory: plan.total,
    stepSeconds: { integrated: secondsOn(INTEGRATED), card: secondsOn(OWN_CARD) },
    refusal,
  };
}
