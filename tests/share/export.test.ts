import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MarbleError } from '../../src/error';
import type { Checkpoint } from '../../src/run/events';
import type { Rollout } from '../../src/run/rollout-record';
import type { EvalReport } from '../../src/run/evaluation';
import { newTrainerState } from '../../src/rl/trainer-state';
import { metricsCsv, rolloutsCsv, toCsv } from '../../src/share/csv';
import { runJsonl } from '../../src/share/jsonl';
import { exportRun, importRun, type RunFile } from '../../src/share/run-file';
import { verdict } from '../run/verdicts';
import { example } from './example-config';
import { sampled } from '../fixtures/sample';

async function* batches(...all: (readonly Rollout[])[]): AsyncGenerator<readonly Rollout[]> {
  for (const batch of all) yield await Promise.resolve(batch);
}

async function textsOf(parts: AsyncIterable<string>): Promise<string[]> {
  const texts: string[] = [];
  for await (const text of parts) texts.push(text);
  return texts;
}

const rollout: Rollout = {
  step: 1,
  group: 0,
  sample: 0,
  itemId: 'nano-1',
  prompt: 'where does ann think coin ? <think>',
  completion: 'ann last bin </think> <answer> bin </answer>',
  order: 1,
  goldAnswer: 'bin',
  shortcutAnswer: null,
  tokens: 8,
  finished: true,
  reward: {
    total: 3,
    parts: [{ name: 'answer', value: 2, reason: 'right' }],
    correct: true,
    formatHolds: true,
    answer: 'bin',
    think: 'ann last bin',
    trace: { statements: [{ text: 'ann last bin', verdict: 'true' }], validity: 1, coverage: 0.5 },
  },
  advantage: -0.25,
};

const accuracy = { count: 10, accuracy: 0.5, low: 0.24, high: 0.76 };

const report: EvalReport = {
  step: 0,
  overall: accuracy,
  validation: { ...accuracy, accuracy: 0.25 },
  byOrder: { 0: accuracy },
  heldOut: { 'order 4': accuracy },
  shortcutRight: accuracy,
  shortcutWrong: accuracy,
  shortcutLine: 0.75,
  formatRate: 1,
  meanLength: 26,
  meanThinkLength: 20,
  emptyThinkFraction: 0,
  traceValidity: 0.6,
  traceCoverage: 0.5,
  rightAnswerWrongTrace: 0.1,
  closeThinkProbability: 0.8,
  samples: [rollout],
  belief: accuracy,
  factual: accuracy,
  outcomes: { order: '01', correct: '10', shortcutRight: '-1', trace: 'fx', thinkTokens: [20, 24] },
  sampled: { temperature: 1, belief: accuracy, factual: accuracy, correct: '01' },
  causalUse: { cut: accuracy, changed: accuracy, followed: accuracy },
};

const checkpoint: Checkpoint = {
  version: 1,
  config: example,
  step: 2,
  policy: {
    parameters: new Float32Array([1, -0, Number.NaN, 1e-38]),
    moment1: new Float32Array([1, 2, 3, 4]),
    moment2: new Float32Array([5, 6, 7, 8]),
    updates: 2,
    reference: new Float32Array([9, 10, 11, 12]),
  },
  trainer: { ...newTrainerState(example), cursor: 16, later: { list: [1, null, 'a'] } },
};

const run: RunFile = {
  history: {
    record: {
      id: 'one',
      config: example,
      name: 'example',
      notes: 'says "hello"',
      status: 'done',
      step: 2,
      checkpointStep: 2,
      logLength: 6,
      createdAt: 1_700_000_000_000,
      updatedAt: 1_700_000_001_000,
      machine: { adapter: 'none', timing: [1, 2] },
    },
    steps: [
      { step: 1, reward: 0.5, 'completions/mean_length': 26 },
      { step: 2, reward: Number.NaN, kl: Number.NEGATIVE_INFINITY },
    ],
    evals: [
      {
        report,
        forecast: {
          count: 10,
          empty: 1.2,
          full: 1.1,
          difference: { value: 0.1, low: -0.1, high: 0.3 },
          probability: null,
        },
      },
      { report: { ...report, step: 2 }, verdict: verdict({ step: 2 }) },
    ],
    alerts: [
      { step: 2, code: 'rl/nan', severity: 'error', cause: 'the loss is NaN', nextStep: 'lower the rate' },
    ],
  },
  rollouts: [[rollout], [{ ...rollout, step: 2 }]],
  checkpoint,
};

/** A file that is read to its end. */
async function opened(file: Blob): Promise<RunFile> {
  const { rollouts, ...rest } = await importRun(file);
  const batches: Rollout[][] = [];
  for await (const batch of rollouts) batches.push([...batch]);
  return { ...rest, rollouts: batches };
}

async function refusal(file: Blob): Promise<MarbleError> {
  const thrown: unknown = await opened(file).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(MarbleError);
  return thrown as MarbleError;
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** What a file without weights holds, as plain JSON, a list for each kind of record. */
interface Content {
  record: unknown;
  steps: unknown[];
  evals: unknown[];
  alerts: unknown[];
  rollouts: unknown[];
}

/** A file of either version with this content, its hashes and lengths right: whoever wrote it can do so. */
function written(version: 1 | 2, { record, ...lists }: Content): Blob {
  const block = (lines: unknown[]) =>
    new TextEncoder().encode(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const [history, rollouts] = [
    block([
      ...lists.steps.map((step) => ['step', step]),
      ...lists.evals.map((evaluation) => ['eval', evaluation]),
      ...lists.alerts.map((alert) => ['alert', alert]),
    ]),
    block(lists.rollouts),
  ];
  const named = (bytes: Uint8Array) => [{ length: bytes.length, sha256: sha256(bytes) }];
  const manifest =
    version === 1
      ? { record, ...lists, checkpoint: null }
      : { record, history: named(history), rollouts: named(rollouts), checkpoint: null };
  const json = new TextEncoder().encode(JSON.stringify(manifest));
  const head = `marble-run ${version}\n${sha256(json)} ${json.length}\n`;
  return new Blob(version === 1 ? [head, json] : [head, json, history, rollouts]);
}

const content = (): Content => {
  const { record, steps, evals, alerts } = structuredClone(run.history);
  return { record, steps: steps.slice(0, 1), evals: [...evals], alerts: [...alerts], rollouts: [rollout] };
};

describe('a run as one file', () => {
  it('is opened again with everything in it, numbers that are not finite included', async () => {
    expect(await opened(await exportRun(run))).toEqual(run);
    const light = { ...run, checkpoint: null, rollouts: [] };
    expect(await opened(await exportRun(light))).toEqual(light);
    const talkative = { ...light, rollouts: [[{ ...rollout, completion: 'x'.repeat(100_000) }]] };
    expect(await opened(await exportRun(talkative))).toEqual(talkative);
    const lora = { ...run, checkpoint: { ...checkpoint, policy: { ...checkpoint.policy, reference: null } } };
    expect(await opened(await exportRun(lora))).toEqual(lora);
  });

  it('of version 1, with all records in one text, is opened as well', async () => {
    const { history, rollouts, checkpoint: none } = await opened(written(1, content()));
    expect(history).toEqual({ ...run.history, steps: run.history.steps.slice(0, 1) });
    expect([rollouts, none]).toEqual([[[rollout]], null]);
  });

  it.each([1, 2] as const)(
    'of version %i with a setting more or fewer is opened, and says so',
    async (version) => {
      const { evaluation, ...fewer } = example;
      const { patience, ...others } = evaluation;
      const config = { ...fewer, evaluation: others, colour: 'blue' };
      const record = { ...run.history.record, config };
      const { history } = await opened(written(version, { ...content(), record }));
      expect(patience).toBeDefined();
      expect(history.record.config).toMatchObject({ ...fewer, evaluation: others });
      expect(history.record.config.evaluation).toHaveProperty('patience');
      expect(history.record.config).not.toHaveProperty('colour');
      expect(history.record.notes).toBe(
        'says "hello"\n\nSettings of the file that this version of Marble does not know were left out: colour.',
      );
    },
  );

  it('comes back with more records than one text of them could hold', async () => {
    // 310 MB of completions, made step by step.
    const long = { ...rollout, completion: 'x'.repeat(60_000) };
    const rollouts = function* (): Generator<Rollout[]> {
      for (let step = 1; step <= 340; step += 1) yield Array.from({ length: 15 }, () => ({ ...long, step }));
    };
    const file = await exportRun({ ...run, rollouts: rollouts() });
    expect(file.size).toBeGreaterThan(1.1 * 2 ** 28);
    let steps = 0;
    for await (const [{ step, completion }] of (await importRun(file)).rollouts) {
      steps += 1;
      if (step !== steps || completion !== long.completion) throw new Error(`step ${step} is another`);
    }
    expect(steps).toBe(340);
  });

  it('is refused where a block of it could not be held, and where its rollouts are in no order', async () => {
    const length = 1e8;
    const manifest = {
      ...content(),
      history: [{ length, sha256: sha256(new Uint8Array()) }],
      checkpoint: null,
    };
    const json = new TextEncoder().encode(JSON.stringify({ ...manifest, rollouts: [] }));
    const head = new Blob([`marble-run 2\n${sha256(json)} ${json.length}\n`, json]);
    const size = head.size + length;
    const huge = { size, slice: (start: number, end: number) => head.slice(start, end) } as Blob;
    expect((await refusal(huge)).message).toContain('takes 100000000 bytes; at most 67108864');
    const other = { ...content(), rollouts: [{ ...rollout, step: 2 }, rollout] };
    expect((await refusal(written(2, other))).message).toContain('step 1 stand behind those of 2');
  });

  it('is not written where a record of it could not be read again', async () => {
    const prompt = 'x'.repeat(65 * 2 ** 20);
    const saved = exportRun({ ...run, rollouts: [[{ ...rollout, prompt }]] });
    await expect(saved).rejects.toMatchObject({ code: 'share/too-big' });
  });

  it('is refused where it is cut off, longer than it says, or changed in any byte', async () => {
    const bytes = new Uint8Array(await (await exportRun(run)).arrayBuffer());
    for (const length of [0, 5, 40, 200, bytes.length - 1]) {
      expect((await refusal(new Blob([bytes.slice(0, length)]))).code).toBe('share/bad-file');
    }
    expect((await refusal(new Blob([bytes, 'x']))).code).toBe('share/bad-file');
    for (let place = 13; place < bytes.length; place += 97) {
      const changed = bytes.slice();
      changed[place] ^= 1;
      expect((await refusal(new Blob([changed]))).code).toBe('share/bad-file');
    }
  });

  it('of a newer version is refused by its number', async () => {
    const error = await refusal(new Blob(['marble-run 3\nanything']));
    expect(error.code).toBe('share/newer-file');
    expect(error.message).toContain('version 3');
  });

  it.each([1, 2] as const)(
    'of version %i is refused by the name of the field that is wrong',
    async (version) => {
      const wrong = written(version, { ...content(), steps: [{ step: 1, reward: 'high' }] });
      expect((await refusal(wrong)).message).toBe('steps.0.reward is high; it must be a number.');
      const sample = written(version, { ...content(), rollouts: [{ ...rollout, tokens: -1 }] });
      expect((await refusal(sample)).message).toBe('rollouts.0.tokens is -1; it must be not negative.');
      const record = { ...run.history.record, config: { ...example, steps: 0 } };
      expect((await refusal(written(version, { ...content(), record }))).message).toBe(
        'record.config.steps is 0; it must be a whole number from 1 to 100000.',
      );
    },
  );

  it('of an older version is opened with the verdict of its rule, and without its forecast', async () => {
    const evals = (content().evals as { report: object }[]).map(({ report: evaluated }) => ({
      report: { ...evaluated, outcomes: undefined, sampled: undefined, causalUse: undefined },
      collapse: { step: 0, lengthRatio: 1, conditions: { shorter: false }, collapsed: true },
      forecast: { emptyThink: accuracy, fullTrace: accuracy, collapseExpected: true },
    }));
    const [{ collapse, forecast, verdict: judged }] = (await opened(written(1, { ...content(), evals })))
      .history.evals;
    expect([collapse, forecast, judged]).toEqual([{ collapsed: true }, undefined, undefined]);
  });

  it('is refused where the outcomes of its items do not match', async () => {
    const evals = (content().evals as { report: { outcomes: object } }[]).map(({ report: evaluated }) => ({
      report: { ...evaluated, outcomes: { ...evaluated.outcomes, trace: 'f' } },
    }));
    expect((await refusal(written(2, { ...content(), evals }))).message).toContain(
      'one value per item in every column',
    );
  });

  it.each([1, 2] as const)(
    'of version %i leaves unknown fields behind and pollutes no prototype',
    async (version) => {
      const { history } = await opened(
        written(version, {
          ...content(),
          ...{ colour: 'blue' },
          steps: [JSON.parse('{"step":1,"__proto__":5,"reward":1}')],
        }),
      );
      expect(history).not.toHaveProperty('colour');
      expect(history.steps).toEqual([{ step: 1, reward: 1 }]);
      expect(Object.getPrototypeOf(history.steps[0])).toBe(Object.prototype);
    },
  );

  async function meetsNamedErrorOnly(file: Blob): Promise<void> {
    const outcome: unknown = await opened(file).catch((error: unknown) => error);
    if (outcome instanceof MarbleError) {
      expect(outcome.code).toMatch(/^share\/(bad|newer)-file$/);
      expect(outcome.message.length).toBeLessThan(400);
    } else {
      expect(Object.keys(outcome as RunFile).sort()).toEqual(['checkpoint', 'history', 'rollouts']);
    }
  }

  it('meets any bytes with a named error', { timeout: 60_000 }, async () => {
    const original = Buffer.from(await (await exportRun(run)).arrayBuffer());
    const mutation = fc.record({
      place: fc.oneof(fc.nat(100), fc.nat(original.length - 1)),
      bytes: fc.uint8Array({ maxLength: 8 }),
      removed: fc.nat(8),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 4 }), async (mutations) => {
        let bytes = original;
        for (const { place, bytes: put, removed } of mutations) {
          bytes = Buffer.concat([bytes.subarray(0, place), put, bytes.subarray(place + removed)]);
        }
        await meetsNamedErrorOnly(new Blob([new Uint8Array(bytes)]));
      }),
      { numRuns: sampled(1000, 10_000) },
    );
  });

  it.each([1, 2] as const)(
    'of version %i meets any records with a named error, whoever wrote their hash',
    async (version) => {
      // The n-th value of the manifest, at any depth, becomes anything.
      const replaced = (manifest: unknown, place: number, value: unknown): unknown => {
        let seen = 0;
        const walk = (part: unknown): unknown => {
          if (seen++ === place) return value;
          if (Array.isArray(part)) return part.map(walk);
          if (typeof part !== 'object' || part === null) return part;
          return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, walk(inner)]));
        };
        return walk(manifest);
      };
      await fc.assert(
        fc.asyncProperty(fc.nat(300), fc.jsonValue(), async (place, value) => {
          const changed = replaced(content(), place, value) as Content;
          const isFile = (['steps', 'evals', 'alerts', 'rollouts'] as const).every((name) =>
            Array.isArray((changed as Content | null)?.[name]),
          );
          if (isFile) await meetsNamedErrorOnly(written(version, changed));
        }),
        { numRuns: sampled(300, 3000) },
      );
    },
  );
});

describe('CSV', () => {
  it('holds one row per step with metrics and evaluation, columns as they first appear', () => {
    const [head, first, second, third] = metricsCsv(run.history.steps, run.history.evals).split('\r\n');
    const columns = head.split(',');
    const cell = (line: string, column: string) => line.split(',')[columns.indexOf(column)];
    expect(columns[0]).toBe('step');
    expect([first, second, third].map((line) => cell(line, 'step'))).toEqual(['0', '1', '2']);
    expect(cell(first, 'eval/accuracy')).toBe('0.5');
    expect(cell(first, 'eval/validation')).toBe('0.25');
    expect(cell(first, 'eval/held_out/order 4/count')).toBe('10');
    expect(cell(first, 'reward')).toBe('');
    expect(cell(second, 'completions/mean_length')).toBe('26');
    expect(cell(third, 'kl')).toBe('-Infinity');
    expect(cell(first, 'verdict/ending')).toBe('');
    expect(cell(third, 'verdict/ending')).toBe('undetermined');
    expect(cell(third, 'verdict/belief_change/low')).toBe('0.19');
    expect(cell(third, 'verdict/fate/empty')).toBe('0.6');
    expect(cell(third, 'eval/trace/followed')).toBe('0.5');
    expect(cell(third, 'eval/sampled/belief')).toBe('0.5');
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', ' =1', '\u200b=1', '＝1'])(
    'lets no text become a formula: %j',
    (text) => {
      const [, cell] = toCsv([{ text }]).split(/\r\n(?=["'])/);
      expect(cell.replace(/^"/, '').startsWith("'")).toBe(true);
    },
  );

  it('quotes commas, quotes and line breaks, and leaves numbers numbers', () => {
    expect(toCsv([{ a: 'x,y', b: 'say "so"', c: 'two\nlines', d: -0.5, e: true, f: null }])).toBe(
      'a,b,c,d,e,f\r\n"x,y","say ""so""","two\nlines",-0.5,true,\r\n',
    );
  });

  it('names the parts of each rollout’s reward', async () => {
    const [head, row] = (await textsOf(rolloutsCsv(() => batches([rollout])))).join('').split('\r\n');
    expect(head).toContain('rewards/answer');
    expect(head).not.toContain('byToken');
    expect(head).toContain('completion');
    expect(row).toContain('ann last bin </think> <answer> bin </answer>');
  });

  it('writes rollouts a batch at a time, with the columns of all of them', async () => {
    const parts = [{ name: 'late', value: 1, reason: 'r' }];
    const later = { ...rollout, step: 2, reward: { ...rollout.reward, parts } };
    const texts = await textsOf(rolloutsCsv(() => batches([rollout], [later, later])));
    expect(texts.map((text) => text.split('\r\n').length - 1)).toEqual([1, 1, 2]);
    expect(texts[0].trimEnd().split(',').slice(-2)).toEqual(['rewards/answer', 'rewards/late']);
    expect(texts[1].trimEnd()).toMatch(/,2,$/);
    expect(texts[2].trimEnd()).toMatch(/,,1$/);
  });
});

describe('JSONL', () => {
  it('is given in parts, none of which holds more than one batch of rollouts', async () => {
    const texts = await textsOf(runJsonl(run.history, batches([rollout, rollout], [rollout])));
    const counts = texts.map((text) => text.split('"type":"rollout"').length - 1);
    expect(counts.slice(-2)).toEqual([2, 1]);
    expect(Math.max(...counts.slice(0, -2))).toBe(0);
  });

  it('holds everything but the weights, one record per line with its type', async () => {
    const texts = await textsOf(runJsonl(run.history, batches([rollout])));
    const lines = texts.join('').trimEnd().split('\n');
    const records = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(records.map(({ type }) => type)).toEqual([
      'run',
      'step',
      'step',
      'eval',
      'eval',
      'alert',
      'rollout',
    ]);
    expect(records[0].config).toEqual(example);
    expect(records[2].reward).toBeNull();
    expect(records[6].completion).toBe(rollout.completion);
  });
});
