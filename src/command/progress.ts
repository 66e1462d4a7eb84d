/** Prints the progress of a run: a line for each step and evaluation. A terminal redraws the last line. */
import { measuredAccuracy, type Accuracy } from '../reward/accuracy';
import type { Evaluation } from '../run/record/evaluation';
import { measuredFigure } from '../run/verdict/measured';
import { startWords } from '../run/verdict/ending';
import type { StepRecord, TrainerEvent } from '../run/record/events';
import { durationWords, secondsLeft, type RunParts, type RunSoFar } from '../run/estimate';
import type { Terminal } from './terminal';

const percent = (fraction: number): string => `${(100 * fraction).toFixed(0)} %`;

function stepLine(record: StepRecord, steps: number): string {
  const parts = [`step ${record.step}/${steps}`];
  const add = (name: string, metric: string, digits: number): void => {
    if (metric in record) parts.push(`${name} ${record[metric].toFixed(digits)}`);
  };
  add('reward', 'reward', 3);
  add('loss', 'reward' in record ? '' : 'loss', 3);
  add('length', 'completions/mean_length', 1);
  add('kl', 'kl', 4);
  add('seconds', 'step_time', 2);
  return parts.join('  ');
}

function evaluationLine({ report, verdict }: Pick<Evaluation, 'report' | 'verdict'>): string {
  const { overall, shortcutRight, shortcutWrong } = report;
  const right = measuredAccuracy(overall);
  const length = measuredFigure(report, 'meanLength');
  const part = (name: string, accuracy: Accuracy): string[] => {
    const measured = measuredAccuracy(accuracy);
    return measured === null ? [] : [`${name} ${percent(measured)}`];
  };
  const parts = [
    `evaluation at step ${report.step}: ${right === null ? 'no questions' : `${percent(right)} right [${percent(overall.low)}, ${percent(overall.high)}]`}`,
    ...part('easy', shortcutRight),
    ...part('hard', shortcutWrong),
    ...(length === null ? [] : [`length ${length.toFixed(1)}`]),
  ];
  if (verdict !== undefined) {
    const start = verdict.against === undefined ? '' : `, against what it did ${startWords(verdict.against)}`;
    parts.push(`${verdict.ending}${verdict.provisional ? ' so far' : ''}${start}`);
  }
  return parts.join(', ');
}

function lastLine(soFar: RunSoFar, parts: RunParts<number>): string {
  const last = soFar.records.at(-1);
  if (last === undefined) return '';
  return `${stepLine(last, soFar.config.steps)}  about ${durationWords(secondsLeft(parts, soFar))} left`;
}

/**
 * @param soFar progress that already includes the event
 * @param parts planned seconds of each part of the run
 */
export function showEvent(
  terminal: Terminal,
  event: TrainerEvent,
  soFar: RunSoFar,
  parts: RunParts<number>,
): void {
  if (event.type === 'step') {
    if (terminal.isLive) terminal.show(lastLine(soFar, parts));
    else terminal.say(lastLine(soFar, parts));
  } else if (event.type === 'eval') {
    terminal.say(evaluationLine(event));
    if (soFar.records.length > 0) terminal.show(lastLine(soFar, parts));
  } else if (event.type === 'alert') {
    terminal.say(`step ${event.alert.step}: ${event.alert.cause} ${event.alert.nextStep}`);
  }
}
