/** A short run, and its rows and evaluations as trained by the library in this process. */
import { decodeLink, loadPolicy, openEngine, train } from '../../src/index';
import { addEvent, growingHistory } from '../../src/run/record/history';
import { toCsv } from '../../src/share/csv';
import { runJsonl } from '../../src/share/jsonl';
import type { Evaluation } from '../../src/run/record/evaluation';
import { newRunRecord } from '../../src/run/record/new-run';
import { embeddedFiles } from '../export/model-folder';
import { evaluationsIn, metricsRows } from '../fixtures/metrics-rows';

export const link =
  '#v=1&preset=ladder-25k&seed=3&steps=5&rollout.promptsPerStep=2&rollout.samplesPerPrompt=4&evaluation.every=2&evaluation.items=4&evaluation.finalItems=4&evaluation.hardItems=0&checkpointEvery=1';

export async function libraryRows(): Promise<{ rows: Record<string, string>[]; evaluations: Evaluation[] }> {
  const { config } = await decodeLink(link);
  const engine = await openEngine({ backend: 'wasm' });
  const policy = await loadPolicy(engine, { files: embeddedFiles('ladder-25k') });
  const history = growingHistory();
  for await (const event of train(engine, policy, config)) addEvent(history, event);
  policy.dispose();
  engine.dispose();
  const texts: string[] = [];
  for await (const text of runJsonl({ ...history, record: newRunRecord(config, '', {}) }, []))
    texts.push(text);
  return {
    rows: metricsRows(toCsv(history.steps)),
    evaluations: evaluationsIn(texts.join('')),
  };
}
