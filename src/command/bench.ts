/** How fast a run's model is on each backend of this machine, by the timing that chooses among them. */
import type { BackendName } from '../gpu/engine';
import { probeAdapter } from '../gpu/capabilities';
import { timeBackend } from '../model/device/choose-backend';
import { stepShapeOf } from '../run/step-shape';
import type { AskedRun } from './asked-run';
import { openDawn } from './dawn';
import { adapterSourceOf, modelSourceOf, type Places } from './model-places';
import type { Terminal } from './terminal';

export interface BenchRequest {
  asked: AskedRun;
  backend?: BackendName;
  places: Places;
  terminal: Terminal;
}

/** Says a line for each backend, and why one could not be timed. @throws MarbleError those of the places */
export async function bench({ asked, backend, places, terminal }: BenchRequest): Promise<void> {
  const { config, page } = asked;
  const source = await modelSourceOf(config, places, page);
  const lora = config.training.mode === 'lora' ? config.training : undefined;
  const adapter = await adapterSourceOf(config, places);
  const isGpuThere = (await openDawn()) && (await probeAdapter()) !== null;
  const all: BackendName[] = isGpuThere ? ['webgpu', 'wasm', 'cpu'] : ['wasm', 'cpu'];
  const shape = stepShapeOf(config);
  terminal.say(
    `${shape.prompts} prompts of ${shape.promptTokens} tokens with ${shape.samplesPerPrompt} answers of ${shape.responseTokens} each`,
  );
  for (const name of backend === undefined ? all : [backend]) {
    const timing = await timeBackend(name, source, shape, { lora, adapter });
    const label = timing.adapter === null ? name : `${name} (${timing.adapter})`;
    const { decodeMs, trainMs, trainTokens, secondsPerStep, error } = timing;
    terminal.say(
      error === null
        ? `${label}: about ${secondsPerStep.toFixed(2)} s a step; ${decodeMs.toFixed(1)} ms to decode a token of all rows, ${trainMs.toFixed(0)} ms to train on ${trainTokens} tokens`
        : `${label}: ${error.message} ${error.nextStep}`,
    );
  }
}
