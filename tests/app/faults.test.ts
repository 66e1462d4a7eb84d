/** What people met on the page and should not meet again. */
import { describe, expect, it } from 'vitest';
import { alertsToShow } from '../../src/app/alerts';
import { withAnotherSeed } from '../../src/app/another-seed';
import { openDroppedRuns } from '../../src/app/dropped-runs';
import { withModelFault } from '../../src/app/models/model-picker';
import { phaseWords } from '../../src/app/phase-words';
import { flat } from '../../src/app/report/report-tables';
import { shortcutLines } from '../../src/app/shortcut-lines';
import { toErrorReport } from '../../src/error';
import type { Alert } from '../../src/run/events';
import { presets } from '../../src/run/presets';
import { decodeLink, encodeLink } from '../../src/share/link';
import { evalReport } from '../run/verdicts';

describe('runs laid over each other', () => {
  const run = (name: string, shortcutLine: number) => ({
    name,
    evaluations: [{ report: evalReport({ shortcutLine }) }],
  });

  it('share one shortcut line where they were asked the same', () => {
    expect(shortcutLines([run('a', 0.9), run('b', 0.9)])).toEqual([{ label: 'the shortcut alone', run: 0 }]);
  });

  it('have one each, under their names, where they were not', () => {
    expect(shortcutLines([run('a', 0.9), run('b', 0.57), run('c', 0.9)])).toEqual([
      { label: 'a, c: the shortcut alone', run: 0 },
      { label: 'b: the shortcut alone', run: 1 },
    ]);
    expect(shortcutLines([{ name: 'new', evaluations: [] }])).toEqual([]);
  });
});

it('another seed is one that has not been run with these settings', () => {
  const config = { ...presets['swap-collapse'], seed: 3 };
  const known = [config, { ...config, seed: 4 }, { ...config, seed: 5, steps: 10 }];
  expect(withAnotherSeed(config, known).seed).toBe(5);
});

describe('a link', () => {
  it('says on what the run computes, since other hardware rounds otherwise', async () => {
    const text = await encodeLink(presets['swap-collapse'], presets, { backend: 'wasm' });
    const decoded = await decodeLink(text);
    expect(decoded.backend).toBe('wasm');
    expect(decoded.ignored).toEqual([]);
    expect((await decodeLink(await encodeLink(presets['swap-collapse']))).backend).toBeUndefined();
  });

  it('with a backend that there is not is refused, naming it', async () => {
    const text = await encodeLink(presets['swap-collapse'], presets, { backend: 'wasm' });
    await expect(decodeLink(text.replace('backend=wasm', 'backend=tpu'))).rejects.toThrow(/backend is tpu/);
  });
});

describe('the words for what a run is at', () => {
  it('stay the same over the steps of a quick run', () => {
    const phases = ['rollout', 'reward', 'reference', 'update'] as const;
    expect(new Set(phases.map((phase) => phaseWords(phase, 0.3, { fraction: 0.5 })))).toEqual(
      new Set(['training']),
    );
    expect(phaseWords('evaluate', 0.3, { fraction: 0.347 })).toBe('evaluating, 34 %');
    const count = { done: 11, total: 60 };
    expect(phaseWords('compile', null, { fraction: 0, count })).toBe('compiling kernel 12 of 60');
  });

  it('tell the two parts of a step where it is slow', () => {
    expect(phaseWords('rollout', 20, { fraction: 0 })).toBe('sampling answers');
    expect(phaseWords('reference', 20, { fraction: 0 })).toBe(phaseWords('update', 20, { fraction: 0 }));
  });
});

describe('a hidden verdict', () => {
  it('does not leak through the notes on the run', () => {
    const alert = (code: string): Alert => ({ step: 1, code, severity: 'info', cause: '', nextStep: '' });
    const alerts = ['rl/kl-spike', 'rl/early-warning', 'rl/collapse', 'rl/decorated'].map(alert);
    expect(alertsToShow(alerts, ['collapse']).map(({ code }) => code)).toEqual(['rl/kl-spike']);
    expect(alertsToShow(alerts, ['settings'])).toEqual(alerts);
  });
});

it('a report writes no digits that say nothing, and leaves out what is not known', () => {
  expect(flat({ heap: 109.79999999998836, adapter: null, build: '0.1.0' })).toEqual([
    ['heap', '110'],
    ['build', '0.1.0'],
  ]);
});

it('a model that is yet to be chosen keeps a run from beginning with the one before it', () => {
  const faulty = withModelFault(new Map([['steps', 'too many']]), 'No model has been chosen.');
  expect([...faulty.keys()]).toEqual(['steps', 'model']);
  expect([...withModelFault(faulty, null).keys()]).toEqual(['steps']);
});

it('a part of the page that the network keeps back is no fault in Marble', () => {
  const report = toErrorReport(
    new TypeError('Failed to fetch dynamically imported module: http://x/link.js'),
  );
  expect(report.code).toBe('app/part-missing');
  expect(report.nextStep).toMatch(/reload/);
});

describe('files dropped on the page', () => {
  const dropped = (names: string[]): Event => {
    const files = names.map((name) => new File(['marble-run'], name));
    return Object.assign(new Event('drop', { cancelable: true }), {
      dataTransfer: { files, types: ['Files'] },
    });
  };

  it('is opened where it is one, and read as those of a class where they are several', () => {
    const page = new EventTarget();
    const opened: string[] = [];
    openDroppedRuns(page, {
      one: ({ name }) => opened.push(name),
      several: (files) => opened.push(files.map(({ name }) => name).join(' and ')),
    });
    const event = dropped(['a.marble', 'notes.txt', 'b.marble']);
    page.dispatchEvent(event);
    expect(event.defaultPrevented).toBe(true);
    page.dispatchEvent(dropped(['notes.txt', 'c.marble']));
    page.dispatchEvent(dropped(['notes.txt']));
    expect(opened).toEqual(['a.marble and b.marble', 'c.marble']);
  });

  it('is left to the part of the page that has taken it', () => {
    const page = new EventTarget();
    const opened: string[] = [];
    page.addEventListener('drop', (event) => event.preventDefault());
    openDroppedRuns(page, { one: ({ name }) => opened.push(name), several: () => opened.push('several') });
    page.dispatchEvent(dropped(['a.marble']));
    expect(opened).toEqual([]);
  });
});
