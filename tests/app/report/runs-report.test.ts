import { h } from 'preact';
import { beforeAll, expect, it, vi } from 'vitest';
import { ReportPage } from '../../../src/app/report/report-page';
import { ConfigTable } from '../../../src/app/report/report-tables';
import { RunsReport } from '../../../src/app/report/runs-report';
import { armsOf } from '../../../src/app/words/run-words';
import { presets } from '../../../src/run/config/presets';
import { emptyHistory } from '../../../src/run/record/history';
import { newRunRecord } from '../../../src/run/record/new-run';
import type { RunRecord } from '../../../src/run/record/run-record';
import { drawn, stubDocument } from '../../fixtures/little-dom';
import { pageOf } from '../page-of';

const foreign = { ...presets['ladder-12k'], preset: 'imported-trl' };

beforeAll(() => {
  stubDocument();
  vi.stubGlobal('location', new URL('https://example.org/'));
});

it('a report of several runs names experiment, model and settings in the words of the form', async () => {
  const first = presets['first-run-135m'];
  const file = { ...first, model: { kind: 'files' as const, name: 'smollm2.q4_1.gguf' } };
  const textOf = async (...configs: (typeof first)[]): Promise<string> => {
    const arms = armsOf(configs);
    const runs = configs.map((config, i) => ({
      history: { ...emptyHistory, record: newRunRecord(config, '', {}) },
      arm: arms[i],
    }));
    const shown = drawn(h(RunsReport, { runs, showsEndings: true }));
    await vi.waitUntil(() => shown.all('a').length > 0);
    const links = shown.all('a').map(({ textContent }) => textContent);
    const text = links.reduce((rest, link) => rest.replace(link, ''), shown.text());
    return text;
  };
  const differing = await textOf(first, file);
  for (const words of ['First run on a real model', 'model SmolLM2-135M', 'model smollm2.q4_1.gguf'])
    expect(differing).toContain(words);
  const common = await textOf({ ...file, steps: 20 }, { ...file, steps: 20, seed: 9 });
  expect(common).toContain('model smollm2.q4_1.gguf, steps 20');
  const swap = { ...first, model: { kind: 'embedded' as const, name: 'ladder-12k' } };
  const models = await textOf(swap, { ...swap, model: { ...swap.model, name: 'ladder-398k' } });
  expect(models).toContain('common to all runsthe preset’s settings, but for what differs');
  for (const text of [differing, common]) expect(text).not.toMatch(/model\.|first-run-135m/);
});

it('compared runs of an unknown preset, and more seeds than a sweep holds, have links that make them again', async () => {
  const runs = Array.from({ length: 60 }, (_, seed) => ({
    arm: '',
    history: { ...emptyHistory, record: newRunRecord({ ...foreign, seed }, '', {}) },
  }));
  const shown = drawn(h(RunsReport, { runs, showsEndings: true }));
  await vi.waitFor(() => expect(shown.text()).toContain('These links make'));
  const seeds = shown.all('a').map(({ textContent }) => /#.*sweep\.seed=([\d,]+)/.exec(textContent)![1]);
  expect(seeds.join().split(',').map(Number)).toEqual([...runs.keys()]);
});

it('settings of an unknown preset are not said to be those of a preset', () => {
  const shown = drawn(h(ConfigTable, { config: foreign }));
  expect(shown.text()).toMatch(/^SettingsThis page has no preset/);
});

/** The report of a run, once it contains these words. */
async function reportOf(record: RunRecord, words: string, session: object = {}) {
  const kept = { ...emptyHistory, record, rolloutSteps: [] };
  const page = pageOf({ runOf: () => record, history: () => Promise.resolve(kept), ...session });
  const shown = drawn(h(ReportPage, { ...page, isEndingHidden: false, id: record.id }));
  await vi.waitFor(() => expect(shown.text()).toContain(words));
  return shown;
}

it('the report of a run that trains does not call it interrupted', async () => {
  const record = { ...newRunRecord(presets['ladder-25k'], '', {}), status: 'running' as const, step: 7 };
  await reportOf(record, 'The run is training now at step 7 of 60', { trainsHere: () => true });
  await reportOf(record, 'The run is interrupted at step 7 of 60');
});

it('the link of a report promises the same numbers of a run of Marble alone', async () => {
  const record = newRunRecord(presets['ladder-25k'], '', {});
  const own = (await reportOf(record, 'it gives the same numbers')).text();
  expect(own).not.toContain('and the result');
  const other = (await reportOf({ ...record, machine: { program: 'TRL' } }, 'TRL trained it.')).text();
  expect(other).not.toContain('it gives the same numbers');
});

it('a run of a model that this version lacks has a report without a link', async () => {
  const config = { ...foreign, model: { kind: 'embedded' as const, name: 'gone' } };
  const record = newRunRecord(config, '', {});
  const words = 'lacks the model of the run';
  const of = drawn(h(RunsReport, { runs: [{ arm: '', history: { ...emptyHistory, record } }], showsEndings: true })); // prettier-ignore
  await vi.waitUntil(() => of.text().includes(words));
  for (const shown of [await reportOf(record, words), of]) {
    expect(shown.all('a')).toEqual([]);
    expect(shown.text()).not.toMatch(/link makes/);
  }
});
