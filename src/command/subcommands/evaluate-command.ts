/**
 * Evaluates a model on its run's own fixed sets: the start of a preset or link, the trained weights of a run file, or an
 * adapter that another program trained.
 */
import { MarbleError } from '../../base/error';
import { evaluate, loadPolicy, openEngine } from '../../index';
import type { BackendName, EvalReport, RunConfig, Verdict } from '../../index';
import { openItems, withPromptBaseline } from '../../rl/data';
import { borderOf } from '../../run/config/warm-start';
import { verdictAgainst } from '../../rl/evaluate/evaluate-at';
import { measuredAccuracy, type Accuracy } from '../../reward/accuracy';
import { measuredFigure } from '../../run/verdict/measured';
import type { PromptBaseline } from '../../tom/item';
import type { AskedRun } from '../asked-run';
import { backendOf, mayUseFma } from '../machine';
import { importedId } from '../../run/config/imported';
import { adapterPlaceOf } from '../../run/config/saved-adapter';
import { parseAdapterConfig, type AdapterConfig } from '../../model/files/adapter-files';
import { openSource } from '../../model/source/source';
import { adapterSourceOf, filesIn, importedItemsOf, modelSourceOf, type Places } from '../model-places';
import type { Terminal } from '../terminal';

export interface EvaluateRequest {
  asked: AskedRun;
  backend?: BackendName;
  /** Number of wasm threads. */
  threads?: number;
  /** Replaces the run's own prompt. The report then has no verdict. */
  prompt?: PromptBaseline;
  places: Places;
  terminal: Terminal;
}

export interface Evaluated {
  config: RunConfig;
  prompt?: PromptBaseline;
  report: EvalReport;
  /** Against the run's start; null until the end of a warm start. */
  verdict: Verdict | null;
}

/**
 * Evaluates a run at its start or at its checkpoint. A named adapter replaces the start of a preset or link, with the rank
 * and scale of its own file.
 *
 * @throws MarbleError `command/no-checkpoint`, `command/own-weights`, `command/other-base`, those of the places and of the
 *   library
 */
export async function evaluateRun({
  asked,
  backend,
  threads,
  prompt,
  places,
  terminal,
}: EvaluateRequest): Promise<Evaluated> {
  let { config } = asked;
  const checkpoint = asked.kept?.checkpoint ?? null;
  if (asked.kept !== null && checkpoint === null) {
    throw new MarbleError(
      'command/no-checkpoint',
      'The file contains no weights: the run had no checkpoint yet.',
      'Name a run with at least one finished step, or a link to evaluate its start. For weights of another program, use a link and --adapter or --model with their folder.',
    );
  }
  if (asked.kept !== null && places.adapter !== undefined && adapterPlaceOf(config) === null) {
    throw new MarbleError(
      'command/own-weights',
      'The run has its own weights, and --adapter names others.',
      'Leave out --adapter, or name the preset or link of the run to evaluate the adapter.',
    );
  }
  const given =
    asked.kept === null && places.adapter !== undefined
      ? { files: await filesIn(places.adapter) }
      : undefined;
  if (given !== undefined) {
    const traits = parseAdapterConfig(await (await openSource(given)).json('adapter_config.json'));
    if (places.model === undefined) requireBase(traits, config);
    const { rank, scale } = traits;
    config = { ...config, training: { mode: 'lora', rank, alpha: scale * rank } };
  }
  const source = await modelSourceOf(config, places, asked.page);
  const adapter = given ?? (await adapterSourceOf(config, places, asked.page));
  const began = asked.kept?.history.record.machine;
  // The training data come first; a model may be evaluated on further sets.
  const trained = importedId(config.data.source) === null ? [] : began?.data?.slice(0, 1);
  const own = openItems(config, (await importedItemsOf(config, places, trained)).imported).suite;
  const suite = prompt === undefined ? own : withPromptBaseline(own, prompt);
  const choice = await backendOf(source, backend, began?.backend?.backend);
  const engine = await openEngine({ backend: choice.backend, threads, fma: mayUseFma(began) });
  try {
    const lora = given === undefined && config.training.mode === 'lora' ? config.training : undefined;
    const policy = await loadPolicy(engine, source, { lora, adapter });
    const evaluateAt = (step: number): Promise<EvalReport> =>
      evaluate(policy, suite, {
        step,
        ends: { temperature: config.rollout.temperature, seed: config.evaluation.seed },
        onProgress(fraction) {
          terminal.show(`evaluating step ${step}: ${Math.floor(100 * fraction)} %`);
          return Promise.resolve();
        },
      });
    const history = asked.kept?.history;
    // A run of another program starts from the loaded weights, whether or not its settings have a warm start.
    const isOwn = history?.record.machine.program === undefined;
    const startStep = isOwn ? borderOf(config) : 0;
    let start = history?.evals.find((evaluation) => evaluation.report.step === startStep)?.report;
    if (prompt !== undefined) start = undefined;
    else if (checkpoint !== null && start === undefined && startStep === 0) start = await evaluateAt(0);
    if (checkpoint !== null) policy.restore(checkpoint.policy);
    const report = await evaluateAt(checkpoint?.step ?? 0);
    policy.dispose();
    const isWarming = report.step < startStep;
    return {
      config,
      ...(prompt && { prompt }),
      report,
      verdict:
        start === undefined || isWarming
          ? null
          : verdictAgainst(start, report, false, config.evaluation.seed),
    };
  } finally {
    engine.dispose();
  }
}

/**
 * Compares the base that an adapter names, if it is a name on the Hub, with the model of the settings. Models of one shape
 * differ in their weights.
 *
 * @throws MarbleError `command/other-base`
 */
function requireBase({ baseModel }: AdapterConfig, { model }: RunConfig): void {
  const isName = baseModel !== null && /^[\w-][\w.-]*\/[\w-][\w.-]*$/.test(baseModel);
  if (!isName || model.kind !== 'hub') return;
  const [repository] = model.repository.split(':');
  if (baseModel.toLowerCase() === repository.toLowerCase()) return;
  throw new MarbleError(
    'command/other-base',
    `The adapter was trained on ${baseModel.slice(0, 100)}, and the model of these settings is ${repository}.`,
    'Use a link of a run on the base of the adapter, or name the folder of that base with --model.',
  );
}

/** Formats the report as a table of plain text. */
export function reportLines({ report, verdict }: Pick<Evaluated, 'report' | 'verdict'>): string[] {
  const row = (name: string, accuracy: Accuracy | undefined): string[] => {
    const measured = measuredAccuracy(accuracy);
    if (accuracy === undefined || measured === null) return [];
    const range = `[${percent(accuracy.low)}, ${percent(accuracy.high)}]`;
    return [`${name.padEnd(28)} ${percent(measured)}  ${range}  of ${accuracy.count}`];
  };
  const length = measuredFigure(report, 'meanLength');
  const validity = measuredFigure(report, 'traceValidity');
  return [
    ...row('right answers', report.overall),
    ...row('  of belief', report.belief),
    ...row('  factual', report.factual),
    ...Object.entries(report.byOrder).flatMap(([order, value]) =>
      `order ${order}` in report.heldOut ? [] : row(`  order ${order}`, value),
    ),
    ...row('easy questions', report.shortcutRight),
    ...row('hard questions', report.shortcutWrong),
    ...Object.entries(report.heldOut).flatMap(([set, value]) => row(`held out: ${set}`, value)),
    ...(report.rows ?? []).flatMap(({ task, part, accuracy }) => row(`${task} ${part}`, accuracy)),
    ...row('sampled, of belief', report.sampled?.belief),
    ...(length === null ? [] : [`${'mean length in tokens'.padEnd(28)} ${length.toFixed(1)}`]),
    ...(validity === null ? [] : [`${'true statements (none: 0 %)'.padEnd(28)} ${percent(validity)}`]),
    ...(verdict === null ? [] : [`verdict against step ${verdict.against ?? 0}: ${verdict.ending}`]),
  ];
}

function percent(fraction: number): string {
  return `${(100 * fraction).toFixed(1)} %`.padStart(7);
}
