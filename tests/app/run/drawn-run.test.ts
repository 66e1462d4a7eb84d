/** The rendered view of a run: its plots, the guess and the verdict below them, its first answers next to the last. */
import { signal } from '@preact/signals';
import { h, type ComponentChildren } from 'preact';
import { describe, expect, it, vi } from 'vitest';
import type { Page } from '../../../src/app/page/page';
import { hidesEnding, shownName } from '../../../src/app/page/hiding';
import { Banner, longerAnswers, smallerUpdates } from '../../../src/app/run/banner';
import { AnswerStream, questionIn } from '../../../src/app/run/answer-stream';
import { Charts } from '../../../src/app/charts/charts';
import { keptChartRun } from '../../../src/app/charts/lines/curve';
import { VerdictLine } from '../../../src/app/run/findings';
import { createRunView, viewOfKept, type RunView } from '../../../src/app/session/run-view';
import { FirstAndNow } from '../../../src/app/story/rollouts';
import { EvaluationTable } from '../../../src/app/verdict/evaluation-table';
import { VerdictPanel } from '../../../src/app/verdict/verdict-panel';
import { presets } from '../../../src/run/config/presets';
import type { Evaluation } from '../../../src/run/record/evaluation';
import { newRunRecord } from '../../../src/run/record/new-run';
import type { Rollout } from '../../../src/run/record/rollout-record';
import { isHardRollout } from '../../../src/run/record/rollouts';
import type { RunRecord } from '../../../src/run/record/run-record';
import { wilson } from '../../../src/reward/accuracy';
import { drawn } from '../../fixtures/little-dom';
import { readRecording } from '../../fixtures/recordings';
import { evalReport, verdict } from '../../run/verdict/verdicts';
import { pageOf } from '../page-of';
import { rollout } from '../../share/run-content';

/** Text, button labels and number of choices of a rendered part. */
function told(part: ComponentChildren) {
  const shown = drawn(part);
  return {
    text: shown.text(),
    buttons: shown.all('button').map(({ textContent }) => textContent),
    choices: shown.all('input').length,
  };
}

const small = presets['ladder-12k'];

function viewOf(evals: Evaluation[], changes: Partial<RunRecord> = {}, config = small): RunView {
  const record = { ...newRunRecord(config, 'a run', {}), ...changes };
  return viewOfKept('live', { record, steps: [], evals, alerts: [], rolloutSteps: [] });
}

const lineOf = (page: Page, view: RunView) =>
  told(
    h(VerdictLine, {
      ...{ view, isEndingHidden: hidesEnding(page), onWhy: () => undefined },
    }),
  );

describe('the ending of a run', () => {
  const ending = 'stops thinking' as const;
  const wrong = { ...verdict().wrong!, count: 100, before: 0.65, now: 0.2 };
  const faithfulWrong = { ...verdict().faithfulWrong!, before: 0.58, now: 0.2 };

  /** A run of 60 steps whose tests of these steps all say that it stops thinking. */
  function runOf(id: string, ...tested: readonly number[]): RunView {
    const looks = tested.map((step) => ({
      report: evalReport({ step }),
      verdict: verdict({ step, ending, wrong, faithfulWrong, provisional: step < small.steps }),
    }));
    return viewOf([{ report: evalReport() }, ...looks], { id, step: tested.at(-1) ?? 0 });
  }
  const pageWith = (lessonOn: RunView | null = null): Page =>
    pageOf(
      { runOf: () => undefined, shown: signal(lessonOn) },
      { lesson: signal(lessonOn !== null), classroom: signal(null) },
    );

  it('is shown with the figures of the last test, and before it only as the state so far', () => {
    expect(lineOf(pageWith(), viewOf([], { id: 'begun' })).text).toMatch(/^No verdict yet\./);
    expect(lineOf(pageWith(), runOf('running', 20, 30)).text).toMatch(/^So far: It stops thinking\./);
    expect(lineOf(pageWith(), runOf('over', 30, 60)).text).toMatch(
      /^It stops thinking\..*On test questions: .*Hard questions right: 65 → 20 %\. Correct reasoning: 58 → 20 %/,
    );
  });

  it('is hidden in a lesson, with names of presets, until the run has ended', () => {
    const running = runOf('lesson, running', 20, 30);
    const page = pageWith(running);
    expect(lineOf(page, running).text).toBe('No verdict yet.');
    expect(shownName(hidesEnding(page), running.config)).toMatch(/^Run of seed/);
    const over = runOf('lesson', 30, 60);
    expect(lineOf(pageWith(over), over).text).toMatch(/^It stops thinking\./);
    expect(shownName(hidesEnding(pageWith(over)), over.config)).toMatch(/^The ladder: the small model/);
  });
});

it('a run whose answers are all cut off has a banner with the button that mends it', () => {
  const view = viewOf([], { id: 'cut off' });
  const { session, draft } = pageOf({ activity: signal('running') });
  const banner = () => told(h(Banner, { session, draft, view }));
  expect(banner().buttons).toEqual([]);
  view.take({ type: 'step', record: { step: 1, 'completions/clipped_ratio': 1, reward: -1 } });
  const [code, cause] = ['rl/all-cut-off', 'Every response was cut off at 48 tokens.'];
  view.take({ type: 'alert', alert: { code, cause, step: 1, severity: 'warning', nextStep: '' } });
  expect(banner()).toMatchObject({
    text: expect.stringContaining('This run cannot learn.') as string,
    buttons: ['Allow 256 tokens and run again'],
  });
  const longer = longerAnswers(small)!.config;
  expect(longerAnswers(longer)!.config.rollout.maxNewTokens).toBe(512);
  // Another cause has another button.
  const destroyed = { code: 'rl/no-longer-ends', cause: 'No longer ends.', step: 1 };
  view.take({ type: 'alert', alert: { ...destroyed, severity: 'warning', nextStep: '' } });
  expect(banner()).toMatchObject({
    text: expect.stringContaining('This run can no longer learn. No longer ends.') as string,
    buttons: ['Lower the learning rate to 0.00012 and run again'],
  });
  const lower = smallerUpdates({ ...small, optimizer: { ...small.optimizer, learningRate: 3e-6 } });
  expect(lower.config.optimizer.learningRate).toBe(3e-7);
  // Gone once answers end again.
  view.take({ type: 'step', record: { step: 2, 'completions/clipped_ratio': 0.5, reward: 0 } });
  expect(banner().buttons).toEqual([]);
});

it('the charts of a kept run say what it was paid for, and once which figures are of practice and of test questions', () => {
  const steps = [{ step: 1, reward: 1, 'think/mean_length': 9, 'trace/validity': 1 }];
  const record = newRunRecord(small, 'a run', {});
  const history = { record, steps, evals: [{ report: evalReport() }], alerts: [], rolloutSteps: [] };
  const charts = told(h(Charts, { runs: [keptChartRun('own', history)] })).text;
  for (const words of [
    'Reward mean of a step, in',
    'True statements mean of the answers, in',
    'Accuracy right answers, on test',
    'The reward pays a right answer 3',
  ])
    expect(charts).toContain(words);
  expect(charts).toMatch(/Thinking tokens, in practice.*single steps.*9.*smoothed.*9.*on test questions.*20/);
});

it('a run with a warm start is drawn against its end, and the verdict says so', () => {
  const config = { ...small, warmStart: { updates: 20 } };
  const against = 20;
  const reportOf = (step: number, meanThinkLength: number, right: number, think: string) =>
    evalReport({
      ...{ step, meanThinkLength, overall: wilson(right, 10) },
      samples: [{ ...rollout, step, reward: { ...rollout.reward, think } }],
    });
  const evals: Evaluation[] = [
    { report: reportOf(0, 20, 1, 'first') },
    { report: reportOf(20, 8, 2, 'taught') },
    {
      report: reportOf(60, 5, 3, 'paid'),
      verdict: verdict({ step: 60, against, ending: 'keeps thinking' }),
    },
  ];
  const view = viewOf(evals, { step: 60 }, config);
  const page = pageOf({ runOf: () => undefined }, { classroom: signal(null) });
  const textOf = (part: ComponentChildren): string => told(part).text;
  const panelOf = (evaluations: Evaluation[]): string => textOf(h(VerdictPanel, { evaluations, border: 20 }));

  expect(panelOf(evals)).toContain('each compared with itself at step 20, and ');
  expect(panelOf(evals.slice(0, 2))).toMatch(/^.*The first evaluation after the warm start .* at step 20\.$/);
  expect(panelOf(evals)).toContain('24.0 → 5.0 tokens');
  const line = lineOf(page, view).text;
  expect(line).toMatch(
    /^It keeps thinking\. On test questions: since the warm start ended at step 20: 24 → 5 tokens\./,
  );
  expect(textOf(h(FirstAndNow, { evaluations: evals }))).toMatch(/step 20.*step 60/i);
  expect(textOf(h(EvaluationTable, { evaluations: evals }))).toMatch(
    /how manystep 20step 60all questions1020 % 6 to 51 %30 %.*tokens of thinking85/,
  );
});

it('a recorded run names the unmet conditions of its verdict', () => {
  const { evals } = readRecording('ladder-12k');
  const { text } = told(h(VerdictPanel, { evaluations: evals }));
  expect(text).toContain('There was little reasoning to lose: ');
  expect(text).toContain('Silent: the thinking is at most half as long');
});

describe('the stream of answers', () => {
  const { config, rollouts } = readRecording('ladder-25k');
  /** Text of the stream of a run that drew `drew` answers in its last step and stores these. */
  async function streamOf(shown: Rollout[], drew: number): Promise<string> {
    const drawing = { ...config.rollout, promptsPerStep: drew, samplesPerPrompt: 1 };
    const view = createRunView('live', { ...config, rollout: drawing });
    const stream = drawn(h(AnswerStream, { view }));
    for (const step of [shown[0].step - 1, shown[0].step]) {
      view.take({ type: 'rollouts', step, rollouts: shown.map((one) => ({ ...one, step })) });
      await vi.waitFor(() => expect(stream.text()).toContain(`Answers of step ${step} `));
    }
    return stream.text();
  }
  const at = rollouts[0].step;
  const step = rollouts.filter((one) => one.step === at);

  it('shows three answers, with the parts of its reward', async () => {
    const text = await streamOf(step, 128);
    expect(text).toMatch(new RegExp(`^Answers of step ${at} in practice `));
    expect(text.match(/answers \w+ [✓✗]/g)).toHaveLength(3);
    expect(text).toMatch(/answers \w+ [✓✗]format [+−]\d/);
    expect(text).toMatch(/reward [+−]\d/);
  });

  it('says whether a question is hard, and how many answers of the whole step are right', async () => {
    const paidAs = (correct: boolean, one: Rollout, group: number): Rollout => ({
      ...one,
      group,
      reward: { ...one.reward, correct },
    });
    const hard = paidAs(false, rollouts.find(isHardRollout)!, 0);
    const easy = rollouts.find((one) => !isHardRollout(one))!;
    const all = [hard, paidAs(true, easy, 1), paidAs(true, easy, 2)];
    expect(await streamOf(all, 3)).toMatch(/ 2 of 3 rightHard: Where/);
    expect(await streamOf(all, 128)).not.toContain('right');
  });

  it('finds the question in any prompt', () => {
    expect(questionIn(rollouts[0].prompt)).toMatch(/^Where .*\?$/);
    expect(questionIn('Ann left. Is it cold? Answer in one word.')).toBe('Is it cold?');
  });
});
