/** A short run, and its rows as trained by the library in this process. */
import { decodeLink, loadPolicy, openEngine, train } from '../../src/index';
import { addEvent, growingHistory } from '../../src/run/record/history';
import { metricsCsv } from '../../src/share/csv';
import { embeddedFiles } from '../export/model-folder';
import { metricsRows } from '../fixtures/metrics-rows';

export const link =
  '#v=1&preset=ladder-25k&seed=3&steps=5&rollout.promptsPerStep=2&rollout.samplesPerPrompt=4&evaluation.every=2&evaluation.items=4&evaluation.finalItems=4&evaluation.hardItems=0&checkpointEvery=1';

export async function libraryRows(): Promise<Record<string, string>[]> {
  const { config } = await decodeLink(link);
  const engine = await openEngine({ backend: 'wasm' });
  const policy = await loadPolicy(engine, { files: embeddedFiles('ladder-25k') });
  const history = growingHistory();
  for await (const event of train(engine, policy, config)) addEvent(history, event);
  policy.dispose();
  engine.dispose();
  return metricsRows(metricsCsv(history.steps, history.evals));
}
