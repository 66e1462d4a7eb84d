/**
 * Every record that the schemas accept works in the rest of the code: it is listed, drawn, reported, cited, exported, resumed
 * and deleted without an unexpected error.
 */
import { signal } from '@preact/signals';
import fc from 'fast-check';
import { h } from 'preact';
import { expect, it } from 'vitest';
import { Alerts } from '../../src/app/verdict/alerts';
import { Charts } from '../../src/app/charts/charts';
import { keptChartRun } from '../../src/app/charts/lines/curve';
import { EvaluationTable, TaskTable } from '../../src/app/verdict/evaluation-table';
import { citation, ConfigTable } from '../../src/app/run/report';
import { FirstAndNow } from '../../src/app/story/rollouts';
import { viewOfKept } from '../../src/app/session/run-view';
import { BackendLine } from '../../src/app/run/findings';
import { AnswerStream } from '../../src/app/run/answer-stream';
import { Runs } from '../../src/app/runs/runs-screen';
import { RunsTable } from '../../src/app/runs/runs-table';
import { SamplesPanel } from '../../src/app/update/samples-panel';
import { batchOf } from '../../src/run/recording/step-batch';
import { UpdatePanel } from '../../src/app/update/update-panel';
import { VerdictPanel } from '../../src/app/verdict/verdict-panel';
import { MarbleError } from '../../src/base/error';
import { importedId } from '../../src/run/config/imported';
import { readTrainerState } from '../../src/rl/trainer-state';
import { watchStep } from '../../src/run/verdict/alert-rules';
import type { Rollout } from '../../src/run/record/rollout-record';
import { summarise } from '../../src/run/record/summary';
import { contactsOf } from '../../src/share/contacts';
import { sweepCsv, toCsv } from '../../src/share/csv';
import { runJsonl } from '../../src/share/jsonl';
import { decodeLink, encodeLink } from '../../src/share/settings-link';
import { packRun, unpackRun, type RunFile } from '../../src/share/run-file';
import { readResultCode, resultCode } from '../../src/share/result-code';
import { runFingerprint } from '../../src/share/run-fingerprint';
import { cutHistory } from '../../src/store/cut-history';
import { createRunStore } from '../../src/store/runs';
import { isWorldName } from '../../src/tom/worlds/orders';
import { refusalOf } from '../model/refusal';
import { pageOf } from '../app/page-of';
import { drawn } from '../fixtures/little-dom';
import { sampled } from '../fixtures/sample';
import { createMemoryStore } from '../store/memory-store';
import { anyRun } from './any-record';
import { all, batches } from './run-content';

async function exported({ history }: RunFile, rollouts: Rollout[][]): Promise<void> {
  toCsv(history.steps);
  for (const text of await all(runJsonl(history, batches(...rollouts)))) for (const line of text.trim().split('\n')) if (line !== '') JSON.parse(line); // prettier-ignore
  const { record } = history;
  const link = await encodeLink(record.config);
  const { source } = record.config.data;
  if (importedId(source) !== null || isWorldName(source)) {
    const { config } = await decodeLink(link);
    expect(config).toMatchObject({ ...record.config, preset: config.preset });
  } else expect(await refusalOf(() => decodeLink(link))).toBe('share/out-of-range');
  runFingerprint(history.steps);
  contactsOf(record.config);
  await readResultCode(await resultCode(history)).catch((thrown: unknown) => {
    if (!(thrown instanceof MarbleError)) throw thrown; // expected for steps beyond the run's end
  });
  sweepCsv([{ arm: record.name, config: record.config, id: record.id, status: record.status, summary: summarise(history) }]); // prettier-ignore
}

function shown({ history }: RunFile, rollouts: readonly Rollout[]): void {
  const { record, steps, evals, alerts } = history;
  const view = viewOfKept('kept', { ...history, rolloutSteps: [] });
  const run = keptChartRun(record.name, history);
  const batch = batchOf(rollouts, record.config, steps.at(-1) ?? null);
  const panel = { config: record.config, batch, rollouts, why: null }; // prettier-ignore
  const parts = [
    h(Runs, pageOf({ runs: signal([record]) }, { draft: signal(record.config) })),
    h(RunsTable, { label: 'runs', heading: 'run', rows: [{ name: record.name, config: record.config, history }]}), // prettier-ignore
    h(AnswerStream, { view, load: () => Promise.resolve(rollouts) }),
    h(TaskTable, { evaluations: evals }),
    h(Charts, { runs: [run] }),
    h(Charts, { runs: [run, { ...run, name: 'other' }] }),
    h(BackendLine, { choice: view.backend }),
    h(Alerts, { alerts }),
    h(EvaluationTable, { evaluations: evals }),
    h(VerdictPanel, { evaluations: evals, isInFull: true }),
    h(FirstAndNow, { evaluations: evals }),
    h(ConfigTable, { config: record.config }),
    ...(rollouts.length === 0 ? [] : [h(UpdatePanel, panel), h(SamplesPanel, panel)]),
  ];
  for (const part of parts) drawn(part).close();
  citation(record, 'https://example.org/', null);
}

function goneOn({ history, checkpoint }: RunFile): void {
  cutHistory(history, checkpoint);
  if (checkpoint === null) return;
  try {
    const state = readTrainerState(checkpoint, history.record.config);
    let { alerts } = state;
    for (let step = 1; step <= 12; step += 1)
      alerts = watchStep({ step, kl: step, grad_norm: 1 }, alerts).state;
  } catch (thrown) {
    if (!(thrown instanceof MarbleError) || thrown.code !== 'rl/checkpoint-not-finite') throw thrown;
  }
}

it('accepted records are stored, drawn, exported and deleted', { tags: ['long'], timeout: 3_600_000 }, () =>
  fc.assert(
    fc.asyncProperty(anyRun, async (written) => {
      const read = await unpackRun(await packRun(written));
      const rollouts = await all(read.rollouts as AsyncIterable<Rollout[]>);
      const run = { ...read, rollouts };
      expect(run.history).toEqual(written.history);
      await exported(run, rollouts);
      shown(run, rollouts.flat());
      goneOn(run);
      const memory = createMemoryStore();
      const store = createRunStore(memory.use);
      const { record } = await store.keepRun(run.history, rollouts, run.checkpoint);
      expect((await store.listRuns()).map(({ id }) => id)).toEqual([record.id]);
      const history = await store.loadRun(record.id);
      await unpackRun(await packRun({ history, rollouts: store.rolloutBatches(record.id), checkpoint: run.checkpoint })); // prettier-ignore
      await store.resumeRun(record.id);
      await store.deleteRun(record.id);
      expect(memory.entries()).toEqual([]);
    }),
    // A fixed seed for sampled runs, so that a failure belongs to the change. The full suite draws new records.
    { numRuns: sampled(40, Number(process.env.MARBLE_RECORDS ?? 10_000)), ...sampled({ seed: 1 }, {}) },
  ),
);
