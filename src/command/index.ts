#!/usr/bin/env node
/** The command `marble-rl`. */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { version } from '../../package.json';
import { MarbleError, toErrorReport, type ErrorReport } from '../base/error';
import { withCustomReward } from '../run/config/custom-reward';
import { presets } from '../run/config/presets';
import { askedRun, ignoredWords, type RunChanges } from './asked-run';
import { askFirst, type Places } from './model-places';
import { writeNamed } from './files';
import { loadReward } from './load-reward';
import { confirmed, harmless, sayWaits, terminalOn, type Terminal } from './terminal';

const help = `marble-rl ${version}: reinforcement learning of small language models

  marble-rl train [<run>] --out <folder>         trains; the same command resumes a run that was stopped or killed
  marble-rl evaluate <run> [--out <file.json>]   accuracy of the start, or of the trained weights of a run
                                                 --prompt plain|cot: with the prompt of a baseline instead of the run's
                                                 of a preset or link also with weights that another program trained:
                                                 --adapter <folder of PEFT's files> or --model <folder of all weights>
  marble-rl sweep <link with sweep.…> --out <folder> [--processes <n>]
  marble-rl --version                            the version, and which backends start on this machine

<run> is a preset, a link from the page in quotes, a run.marble file, including one saved by the page, or the folder of a run.
Presets: ${Object.keys(presets).join(', ')}.

  --backend webgpu|wasm   default: the link's, else wasm below a million weights; webgpu needs: npm install webgpu
  --seed <n> --steps <n>  override the run's own
  --model <path>          folder or GGUF file of the run's model; replaces a download. Of the embedded models this package
                          includes ladder-12k and ladder-25k; others come from the page if the link has its full address
  --adapter <folder>      the adapter that the run starts from, if it is local files or ships only with the page
  --data <file>           the data set that the run trains on, if it is imported
  --yes                   agrees in advance to the run's downloads from other servers
  --reward <file.mjs>     train, sweep: a module whose default export is the reward; it runs only after you agree
  --run-reward            agrees in advance to run that module, with all rights of this command; --yes does not
  --anyway                train, sweep: trains even if the first step on rewards has no signal (rl/no-signal)
  --evaluation <file>     another data set to evaluate on; may be repeated
  --threads <n>           train, evaluate: number of wasm threads; default: one for each core. It does not change results`;

const text = { type: 'string' } as const;
const options = {
  out: text,
  backend: text,
  seed: text,
  steps: text,
  processes: text,
  threads: text,
  prompt: text,
  model: text,
  adapter: text,
  data: text,
  evaluation: { type: 'string', multiple: true },
  yes: { type: 'boolean' },
  reward: text,
  'run-reward': { type: 'boolean' },
  anyway: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

type Given = ReturnType<typeof parse>['values'];

const placeNames = ['model', 'adapter', 'data'] as const;
const ofRun = [...placeNames, 'evaluation', 'seed', 'steps', 'yes'];
const ofTraining = [...ofRun, 'backend', 'out', 'reward', 'run-reward', 'anyway'];

/** Options of each command. */
const commands = {
  train: [...ofTraining, 'threads'],
  evaluate: [...ofRun, 'backend', 'threads', 'out', 'prompt'],
  sweep: [...ofTraining, 'processes'],
};

type Command = keyof typeof commands;

function badUse(message: string): MarbleError {
  return new MarbleError('command/bad-use', message, 'Run marble-rl --help for all commands and options.');
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (thrown) {
    const message =
      thrown instanceof Error ? thrown.message.replace(/\. To specify.*$/s, '.') : String(thrown);
    const [, option] = /^Option '(?:-\w, )?(--[\w-]+).* is ambiguous/.exec(message) ?? [];
    throw badUse(
      option === undefined
        ? message
        : `${option} needs a value. One that begins with a dash follows an equals sign: ${option}=-….`,
    );
  }
}

function isCommand(name: string): name is Command {
  return Object.hasOwn(commands, name);
}

function check(command: Command, run: string | undefined, more: readonly string[], values: Given): void {
  const unknown = Object.keys(values).find((name) => !commands[command].includes(name));
  if (unknown !== undefined) throw badUse(`${command} does not accept --${unknown}.`);
  if (more.length > 0)
    throw badUse(
      `“${more[0]}” is an extra argument. Put a link in quotes, because the shell interprets # and &.`,
    );
  if (run !== undefined || command === 'train') return;
  throw badUse(`${command} needs a preset, a link or a run's file.`);
}

function wholeNumber(
  name: 'seed' | 'steps' | 'processes' | 'threads',
  { [name]: given }: Given,
): number | undefined {
  if (given === undefined) return undefined;
  if (/^\d{1,15}$/.test(given)) return Number(given);
  throw badUse(`--${name} is “${given}”, but must be a whole number.`);
}

function choice<const Names extends readonly string[]>(
  name: 'backend' | 'prompt',
  { [name]: given }: Given,
  ...names: Names
): Names[number] | undefined {
  if (given === undefined || names.includes(given)) return given;
  throw badUse(`--${name} is “${given}”, but must be ${names.join(' or ')}.`);
}

function neededOut(command: Command, { out }: Given): string {
  if (out !== undefined) return out;
  throw badUse(`${command} needs --out.`);
}

function changesIn(values: Given): RunChanges {
  const seed = wholeNumber('seed', values);
  const steps = wholeNumber('steps', values);
  return { ...(seed !== undefined && { seed }), ...(steps !== undefined && { steps }) };
}

/** Milliseconds from Ctrl-C to the end of a run that does not reach its next micro-batch, and of a sweep of such runs. */
const PATIENCE = { run: 4000, sweep: 5000 };

/**
 * Ctrl-C ends a run with a checkpoint if that takes no more than a few seconds, else at the last one; a second Ctrl-C ends
 * it at once. A run also ends with a checkpoint if its terminal or the reader of its output is closed, or if its sweep
 * ends. Called when there is something to save: before, a signal ends the process by itself, whatever it is busy with.
 */
function untilInterrupted(terminal: Terminal, patience: number): AbortSignal {
  const abort = new AbortController();
  const halt = (): void => {
    abort.abort();
    setTimeout(() => {
      terminal.say(
        'Ended within a step. The same command resumes from the last checkpoint, or begins again.',
      );
      process.exit(130);
    }, patience).unref();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (abort.signal.aborted) process.exit(130);
      terminal.say('Stopping at the next micro-batch; once more ends at once, at the last checkpoint.');
      halt();
    });
  }
  process.on('SIGHUP', halt);
  process.stdout.on('error', halt);
  process.on('disconnect', halt);
  // The sweep or the reader of the output may have ended before these listeners existed.
  if ((process.send !== undefined && !process.connected) || process.stdout.errored) halt();
  process.channel?.unref();
  return abort.signal;
}

/** Asks for consent: given by an option, or by an answer in the terminal. */
async function agreed(
  what: string,
  isAgreed: boolean | undefined,
  verb: string,
  terminal: Terminal,
): Promise<boolean> {
  terminal.say(what);
  if (isAgreed === true || !process.stdin.isTTY) return isAgreed === true;
  return confirmed(`${verb} it? [y/N] `, process.stdin, process.stdout);
}

/** @returns the exit code: 0, 1 for a run that cannot be trained here, 130 for a stopped run */
async function run(
  command: Command,
  name: string | undefined,
  values: Given,
  terminal: Terminal,
): Promise<number> {
  const { model, adapter, data, evaluation } = values;
  const answers = new Map<string, Promise<boolean>>();
  const mayFetch = (what: string): Promise<boolean> => {
    const answer = answers.get(what) ?? agreed(what, values.yes, 'Download', terminal);
    answers.set(what, answer);
    return answer;
  };
  const places: Places = { model, adapter, data, evaluation, mayFetch };
  const threads = wholeNumber('threads', values) ?? availableParallelism();
  const ofOption = choice('backend', values, 'webgpu', 'wasm');
  const changes = changesIn(values);
  const mayRun = (what: string) => agreed(what, values['run-reward'], 'Run', terminal);
  const reward = values.reward === undefined ? undefined : await loadReward(values.reward, mayRun);
  const asked = name === undefined ? null : await askedRun(name, changes);
  const trains = command === 'train' || command === 'sweep';
  if (trains && asked?.kept === null) asked.config = withCustomReward(asked.config, reward);
  const backend = ofOption ?? asked?.backend;
  if (asked !== null && asked.ignored.length > 0) terminal.say(ignoredWords(asked.ignored));
  if (command !== 'sweep' && asked !== null && Object.keys(asked.sweep).length > 0)
    terminal.say('The axes of the sweep in the link are left out; marble-rl sweep trains its runs.');
  switch (command) {
    case 'train': {
      const folder = neededOut(command, values);
      const { trainInFolder } = await import('./subcommands/train');
      const interrupted = (): AbortSignal => untilInterrupted(terminal, PATIENCE.run);
      const isDone = await trainInFolder({
        ...{ asked, folder, changes, backend, threads },
        ...{ places, terminal, interrupted, reward, anyway: values.anyway },
      });
      if (!isDone) terminal.say(`Stopped. To resume: marble-rl train --out ${folder}`);
      return isDone ? 0 : 130;
    }
    case 'evaluate': {
      const { evaluateRun, reportLines } = await import('./subcommands/evaluate-command');
      const prompt = choice('prompt', values, 'plain', 'cot');
      const evaluated = await evaluateRun({ asked: asked!, backend, threads, prompt, places, terminal });
      for (const line of reportLines(evaluated)) terminal.say(line);
      if (values.out !== undefined) await writeNamed(values.out, `${JSON.stringify(evaluated)}\n`);
      return 0;
    }
    case 'sweep': {
      const folder = neededOut(command, values);
      const { sweepInFolder } = await import('./subcommands/sweep-command');
      const { expandSweep } = await import('../run/sweep/sweep');
      const { config, page, sweep } = asked!;
      if (model !== undefined && (sweep.model?.length ?? 0) > 1)
        throw badUse('The link varies the model, and --model names one for all runs. Leave out one of them.');
      const given = { ...places, backend };
      const passedOn = [...placeNames, 'backend' as const].flatMap((option) =>
        given[option] === undefined ? [] : [`--${option}`, given[option]],
      );
      for (const file of values.evaluation ?? []) passedOn.push('--evaluation', file);
      const processes = Math.max(1, wholeNumber('processes', values) ?? availableParallelism());
      const runs = expandSweep(config, sweep);
      // The processes of the sweep cannot prompt.
      for (const what of ['model', 'adapter'] as const) await askFirst(what, config, places);
      passedOn.push('--yes', '--threads', '1');
      if (values.reward !== undefined) passedOn.push('--reward', values.reward, '--run-reward');
      if (values.anyway === true) passedOn.push('--anyway');
      const signal = untilInterrupted(terminal, PATIENCE.sweep);
      const isDone = await sweepInFolder({ runs, page, folder, processes, passedOn, terminal, signal });
      return isDone ? 0 : signal.aborted ? 130 : 1;
    }
  }
}

/**
 * A refusal by the operating system is not a bug in Marble, and its message names the file. There is no page here to
 * reload.
 */
function reportOf(thrown: unknown): ErrorReport {
  const report = toErrorReport(thrown);
  if (report.code !== 'app/unexpected') return report;
  if (!(thrown instanceof Error && 'syscall' in thrown))
    return { ...report, nextStep: 'This is a bug in Marble. Report it with this text.' };
  return {
    code: 'command/system',
    message: `The operating system refused: ${thrown.message}.`,
    nextStep: 'Name another file or folder, or check its permissions and free space.',
  };
}

function sayError({ code, message, nextStep }: ErrorReport): void {
  process.stderr.write(`${harmless(`${code}: ${message} ${nextStep}`)}\n`);
}

/** Node would end without a word if nothing is left that could answer. */
function sayUnanswered(): void {
  if (process.exitCode !== undefined) return;
  const what = 'The command waits for an answer that cannot come: a promise of the reward function, or of its module, is never settled.'; // prettier-ignore
  const nextStep =
    'Let the function return a number or reject, then run the same command again, which resumes.';
  sayError(new MarbleError('reward/custom-failed', what, nextStep));
  process.exit(1);
}

async function main(): Promise<number> {
  process.on('beforeExit', sayUnanswered);
  // The reader of the output may be gone. This ends only a run, through `untilInterrupted`.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const terminal = terminalOn(process.stdout);
  sayWaits(terminal);
  try {
    const { values, positionals } = parse(process.argv.slice(2));
    const [command, name, ...more] = positionals;
    if (values.version === true) {
      terminal.say(`marble-rl ${version}`);
      const { sayMachine } = await import('./machine');
      await sayMachine(terminal);
    } else if (values.help === true || command === undefined)
      help.split('\n').forEach((line) => terminal.say(line));
    else if (!isCommand(command)) {
      throw badUse(`There is no command “${command}”. Commands: ${Object.keys(commands).join(', ')}.`);
    } else {
      check(command, name, more, values);
      return await run(command, name, values, terminal);
    }
    return command === undefined && values.help !== true && values.version !== true ? 2 : 0;
  } catch (thrown) {
    const report = reportOf(thrown);
    sayError(report);
    return report.code === 'command/bad-use' ? 2 : 1;
  }
}

process.exitCode = await main();
