import { describe, expect, it } from 'vitest';
import { openRun } from '../../../src/export/open/open-run';
import { presets } from '../../../src/run/config/presets';
import { decodeLink, encodeLink } from '../../../src/share/link';
import { packRun, unpackRun } from '../../../src/share/run-file';
import { errorOf } from '../../model/refusal';

const open = (name: string, text: string) => openRun(new File([text], name, { lastModified: 5 }));
const stepsOf = async (name: string, text: string) => (await open(name, text)).history.steps;

const trl = (more: object = {}, entries: unknown[] = []): string =>
  JSON.stringify({
    log_history: [
      { step: 1, epoch: 0.1, reward: 0.5, 'completions/mean_length': 28, kl: 0, note: 'warm' },
      { step: 2, epoch: 0.2, reward: 0.75, 'completions/mean_length': 20.5, kl: null },
      { step: 2, eval_reward: 0.9 },
      { step: 2, train_runtime: 34, train_loss: 0.1, total_flos: 0 },
      ...entries,
    ],
    ...more,
  });

describe('the log of another program', () => {
  it('of TRL is a finished run with its rows, under the names that they have', async () => {
    const { history, checkpoint } = await open('trainer_state.json', trl());
    expect(history.steps).toEqual([
      { step: 1, reward: 0.5, 'completions/mean_length': 28, kl: 0 },
      { step: 2, reward: 0.75, 'completions/mean_length': 20.5 },
    ]);
    expect(history.record).toMatchObject({
      status: 'done',
      step: 2,
      name: 'TRL: trainer_state.json',
      createdAt: 5,
    });
    expect(history.record.notes).toContain('does not hold the run');
    expect(checkpoint).toBeNull();
  });

  it('of an exported run brings the settings of the run with it', async () => {
    const config = { ...presets['hitom-mini'], seed: 9 };
    const { history } = await open('trainer_state.json', trl({ marble_link: await encodeLink(config) }));
    expect(history.record.config).toEqual(config);
  });

  it("leaves out Python's NaN and Infinity, and keeps the rest of the row", async () => {
    const row = '"step":1,"reward":0.5,"kl":NaN,"grad_norm":Infinity';
    const steps = [{ step: 1, reward: 0.5 }];
    expect(await stepsOf('trainer_state.json', `{"log_history":[{${row}}]}`)).toEqual(steps);
    expect(await stepsOf('marble.jsonl', `{"step":1,"data":{${row}}}\n`)).toEqual(steps);
  });

  it('of 150,000 steps can be saved, opened again, and handed on by its link', async () => {
    const log = trl(
      {},
      Array.from({ length: 150_000 }, (_, index) => ({ step: index + 1, reward: 1 })),
    );
    const opened = await open('trainer_state.json', log);
    const { history } = await unpackRun(await packRun(opened));
    expect(history.steps.at(-1)?.step).toBe(150_000);
    expect((await decodeLink(await encodeLink(history.record.config))).config.steps).toBe(150_000);
  });

  it('of verl is read from lines of JSON', async () => {
    const lines = [
      {
        step: 1,
        data: {
          'critic/score/mean': 0.5,
          'response_length/mean': 31,
          'actor/entropy': 1.5,
          'perf/throughput': 8,
        },
      },
      {
        step: 2,
        data: {
          'critic/score/mean': 0.6,
          'response_length/clip_ratio': 0.25,
          'val-core/swap/acc/mean@1': 0.4,
        },
      },
    ];
    expect(await stepsOf('marble.jsonl', lines.map((line) => JSON.stringify(line)).join('\n'))).toEqual([
      { step: 1, reward: 0.5, 'completions/mean_length': 31, entropy: 1.5, 'perf/throughput': 8 },
      { step: 2, reward: 0.6, 'completions/clipped_ratio': 0.25, 'val-core/swap/acc/mean@1': 0.4 },
    ]);
  });

  it('of verl is read from its console, whatever Ray writes around it', async () => {
    const text = [
      'dataset len: 1200',
      '(TaskRunner pid=812) step:1 - critic/score/mean:np.float64(0.25) - actor/lr:1e-06 - timing_s/step:2.5',
      '(TaskRunner pid=812) Training Progress: 1%',
      'step:2 - critic/score/mean:-0.5 - actor/grad_norm:nan',
    ].join('\n');
    expect(await stepsOf('verl.log', text)).toEqual([
      { step: 1, reward: 0.25, learning_rate: 1e-6, step_time: 2.5 },
      { step: 2, reward: -0.5 },
    ]);
  });

  it('of Weights & Biases is read from a chart’s table', async () => {
    const text =
      '"Step","calm-sun-3 - train/reward","calm-sun-3 - train/reward__MIN","calm-sun-3 - critic/score/max"\n1,0.5,0.5,2\n2,0.75,0.7,\n';
    expect(await stepsOf('wandb.csv', text)).toEqual([
      { step: 1, reward: 0.5, 'critic/score/max': 2 },
      { step: 2, reward: 0.75 },
    ]);
  });

  it.each([
    [
      'train.parquet',
      'PAR1 and so on',
      'export/bad-log',
      ['train.parquet', 'parquet', 'completions_00003.parquet'],
    ],
    ['notes.txt', 'Dear diary', 'export/not-a-log', ['notes.txt', 'Dear diary', 'trainer_state.json']],
    [
      'state.json',
      '{"log_history": 3}',
      'export/bad-log',
      ['state.json', 'log_history', 'a list of records'],
    ],
    [
      'state.json',
      trl({}, [{ step: 'four', reward: 1 }]),
      'export/bad-log',
      ['log_history[4].step', 'a whole number'],
    ],
    [
      'v.jsonl',
      '{"step":1,"data":{"a":1}}\n{"step":2}',
      'export/bad-log',
      ['v.jsonl', 'line 2', 'data is missing'],
    ],
    ['v.jsonl', '{"step":1,"data":{"a":1}}\n{"st', 'export/bad-log', ['line 2', '{"step": …, "data": {…}}']],
    ['w.csv', 'Step,reward\n1,0.5,9\n', 'export/bad-log', ['line 2', '3 fields', '2, as']],
    ['w.csv', 'Step,reward\nfirst,0.5\n', 'export/bad-log', ['line 2: Step', 'a whole number from 0']],
    ['far.json', trl({}, [{ step: 1e300, reward: 1 }]), 'export/bad-log', ['1e+300', 'from 0 to 200000']],
    ['far.log', 'step:999999999 - critic/score/mean:1', 'export/bad-log', ['999999999', 'from 0 to 200000']],
    ['empty.json', '{"log_history": []}', 'export/bad-log', ['empty.json', 'no step']],
    ['cut.marble', 'marble-r', 'share/bad-file', []],
  ])('is refused by name where %s does not hold what it should', async (name, text, code, named) => {
    const refusal = (await errorOf(() => open(name, text)))!;
    expect(refusal.code).toBe(code);
    for (const words of named) expect(`${refusal.message} ${refusal.nextStep}`).toContain(words);
  });
});
