import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MarbleError } from '../../src/error';
import type { Checkpoint, EvalReport, Rollout } from '../../src/rl/events';
import { metricsCsv, rolloutsCsv, toCsv } from '../../src/share/csv';
import { runJsonl } from '../../src/share/jsonl';
import { exportRun, importRun, type RunFile } from '../../src/share/run-file';
import { verdict } from '../rl/verdicts';
import { example } from './example-config';

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
  trainer: { cursor: 16, kl: 0.01, nested: { list: [1, null, 'a'] } },
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
  rollouts: [rollout],
  checkpoint,
};

async function refusal(file: Blob): Promise<MarbleError> {
  const thrown: unknown = await importRun(file).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(MarbleError);
  return thrown as MarbleError;
}

/** The file with its records changed, and hash and length put right again. */
async function rewritten(change: (manifest: Record<string, never>) => unknown): Promise<Blob> {
  const bytes = new Uint8Array(await (await exportRun({ ...run, checkpoint: null })).arrayBuffer());
  const start = bytes.indexOf(10, bytes.indexOf(10) + 1) + 1;
  const manifest = JSON.parse(new TextDecoder().decode(bytes.subarray(start))) as Record<string, never>;
  const json = new TextEncoder().encode(JSON.stringify(change(manifest)));
  const digest = Buffer.from(await crypto.subtle.digest('SHA-256', json)).toString('hex');
  return new Blob([`marble-run 1\n${digest} ${json.length}\n`, json]);
}

describe('a run as one file', () => {
  it('is opened again with everything in it, numbers that are not finite included', async () => {
    expect(await importRun(await exportRun(run))).toEqual(run);
    const light = { ...run, checkpoint: null };
    expect(await importRun(await exportRun(light))).toEqual(light);
    const lora = { ...run, checkpoint: { ...checkpoint, policy: { ...checkpoint.policy, reference: null } } };
    expect(await importRun(await exportRun(lora))).toEqual(lora);
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
    const error = await refusal(new Blob(['marble-run 2\nanything']));
    expect(error.code).toBe('share/newer-file');
    expect(error.message).toContain('version 2');
  });

  it('of an older version is opened with the verdict of its rule, and without its forecast', async () => {
    const older = await rewritten(({ evals, ...rest }) => ({
      ...rest,
      evals: (evals as { report: object }[]).map(({ report: evaluated }) => ({
        report: { ...evaluated, outcomes: undefined, sampled: undefined, causalUse: undefined },
        collapse: { step: 0, lengthRatio: 1, conditions: { shorter: false }, collapsed: true },
        forecast: { emptyThink: accuracy, fullTrace: accuracy, collapseExpected: true },
      })),
    }));
    const [{ collapse, forecast, verdict: judged }] = (await importRun(older)).history.evals;
    expect([collapse, forecast, judged]).toEqual([{ collapsed: true }, undefined, undefined]);
  });

  it('is refused where the outcomes of its items do not match', async () => {
    const torn = await rewritten(({ evals, ...rest }) => ({
      ...rest,
      evals: (evals as { report: { outcomes: object } }[]).map(({ report: evaluated }) => ({
        report: { ...evaluated, outcomes: { ...evaluated.outcomes, trace: 'f' } },
      })),
    }));
    expect((await refusal(torn)).message).toContain('one value per item in every column');
  });

  it('is refused by the name of the field that is wrong, whoever wrote its hash', async () => {
    const wrong = await rewritten((manifest) => ({ ...manifest, steps: [{ step: 1, reward: 'high' }] }));
    expect((await refusal(wrong)).message).toBe('steps.0.reward is high; it must be a number.');
    const config = await rewritten(({ record, ...rest }) => ({
      ...rest,
      record: { ...(record as object), config: { ...example, steps: 0 } },
    }));
    expect((await refusal(config)).message).toBe(
      'record.config.steps is 0; it must be a whole number from 1 to 100000.',
    );
  });

  it('leaves unknown fields behind and pollutes no prototype', async () => {
    const file = await rewritten(({ ...manifest }) => ({
      ...manifest,
      colour: 'blue',
      steps: [JSON.parse('{"step":1,"__proto__":5,"reward":1}')],
    }));
    const { history } = await importRun(file);
    expect(history).not.toHaveProperty('colour');
    expect(history.steps).toEqual([{ step: 1, reward: 1 }]);
    expect(Object.getPrototypeOf(history.steps[0])).toBe(Object.prototype);
  });

  async function meetsNamedErrorOnly(file: Blob): Promise<void> {
    const outcome: unknown = await importRun(file).catch((error: unknown) => error);
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
      { numRuns: 10_000 },
    );
  });

  it('meets any records with a named error, whoever wrote their hash', { timeout: 60_000 }, async () => {
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
        await meetsNamedErrorOnly(await rewritten((manifest) => replaced(manifest, place, value)));
      }),
      { numRuns: 3000 },
    );
  });
});

describe('CSV', () => {
  it('holds one row per step with metrics and evaluation, columns as they first appear', () => {
    const [head, first, second, third] = metricsCsv(run.history.steps, run.history.evals).split('\r\n');
    const columns = head.split(',');
    const cell = (line: string, column: string) => line.split(',')[columns.indexOf(column)];
    expect(columns[0]).toBe('step');
    expect([first, second, third].map((line) => cell(line, 'step'))).toEqual(['0', '1', '2']);
    expect(cell(first, 'eval/accuracy')).toBe('0.5');
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

  it('names the parts of each rollout’s reward', () => {
    const [head, row] = rolloutsCsv([rollout]).split('\r\n');
    expect(head).toContain('rewards/answer');
    expect(head).toContain('completion');
    expect(row).toContain('ann last bin </think> <answer> bin </answer>');
  });
});

describe('JSONL', () => {
  it('holds everything but the weights, one record per line with its type', () => {
    const lines = runJsonl(run.history, run.rollouts).trimEnd().split('\n');
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
