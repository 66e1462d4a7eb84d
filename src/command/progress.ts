/**
 * Prints the memory and time that a run needs on this machine, before it begins, and then its progress: a line for each
 * step and evaluation. A terminal redraws the last line.
 */
import { estimate, measureSpeed, planRun, refuseRun, type Engine } from '../index';
import { parseModelConfig } from '../model/config';
import { openSource, type ModelSource } from '../model/source/source';
import { surveyModel } from '../model/files/weights-reader';
import { measuredAccuracy, type Accuracy } from '../reward/accuracy';
import type { ImportedItems } from '../rl/data';
import type { Evaluation } from '../run/record/evaluation';
import { measuredFigure } from '../run/verdict/measured';
import { startWords } from '../run/verdict/ending';
import type { StepRecord, TrainerEvent } from '../run/record/events';
import { durationWords, megabytes, secondsLeft, type RunParts, type RunSoFar } from '../run/estimate';
import type { Terminal } from './terminal';

/**
 * Plans a run and prints its needs.
 *
 * @returns seconds of each part of the run
 * @throws MarbleError if the run does not fit into memory; names the settings to lower
 */
export async function plannedParts(
  engine: Engine,
  source: ModelSource,
  soFar: RunSoFar,
  imported: ImportedItems,
  terminal: Terminal,
): Promise<RunParts<number>> {
  const { config } = soFar;
  const model = parseModelConfig(await (await openSource(source)).json('config.json'));
  const known = await planRun(model, config, engine.backend, imported);
  const parts = estimate(known, await measureSpeed(engine, config.training));
  const memory = megabytes(known.bytes.peak);
  const time = durationWords(secondsLeft(parts, soFar));
  terminal.say(`Needs ${memory} of memory and takes at most about ${time}, by a dry run of one step.`);
  const refusal = await refuseRun(engine, model, config, { imported, known });
  if (refusal) throw refusal;
  return parts;
}

/** Prints the size of a model's download right before it. Requests only the sizes of the weights. */
export async function sayDownload(source: ModelSource, terminal: Terminal): Promise<void> {
  if ('files' in source) return;
  const files = await openSource(source);
  const { bytes } = await surveyModel(files);
  terminal.say(`Downloads ${megabytes(bytes)} from ${new URL(files.address('config.json')!).host}.`);
}

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
