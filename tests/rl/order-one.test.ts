/**
 * Learning is real on stories as well: from a start that follows them, reward teaches order-1 stories to 95 % of the best
 * there is, and the reasoning gets truer with it. The sample is the first 20 steps, which show both on their way.
 * docs/experiments/history.md has every algorithm from three seeds.
 */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { modelFiles } from '../../scripts/model-files';
import { openEngine } from '../../src/gpu/engine';
import { loadPolicy } from '../../src/model/load-policy';
import type { RunConfig } from '../../src/run/config';
import type { EvalReport, Verdict } from '../../src/run/evaluation';
import { fromOutcomeTable } from '../../src/run/outcome-table';
import { presets } from '../../src/run/presets';
import { train } from '../../src/rl/trainer';
import { verdictOf } from '../../src/run/verdict';
import { sampled } from '../fixtures/sample';

const folder = join(import.meta.dirname, '..', '..', 'public', 'models', 'nano-order-1');

const preset = presets['nano-order-1'];

/** The evaluations at the start and at this step of the preset's run, the verdict on them, and the alerts until then. */
async function runUntil(
  step: number,
  evaluation: Partial<RunConfig['evaluation']>,
): Promise<{ start: EvalReport; end: EvalReport; ending: Verdict['ending']; alerts: string[] }> {
  const engine = await openEngine({ backend: 'wasm' });
  const policy = await loadPolicy(engine, { files: await modelFiles(folder) });
  const evaluations: EvalReport[] = [];
  const alerts: string[] = [];
  const config = { ...preset, evaluation: { ...preset.evaluation, every: step, ...evaluation } };
  for await (const event of train(policy, config)) {
    if (event.type === 'eval') evaluations.push(event.report);
    if (event.type === 'alert') alerts.push(event.alert.code);
    if (evaluations.length === 2) break;
  }
  policy.dispose();
  engine.dispose();
  const [start, end] = evaluations;
  expect(end.step).toBe(step);
  const [before, now] = [start, end].map(({ outcomes }) => fromOutcomeTable(outcomes!));
  const { ending } = verdictOf(before, now, { step, provisional: false });
  return { start, end, ending, alerts };
}

interface Part {
  what: string;
  step: number;
  evaluation: Partial<RunConfig['evaluation']>;
  /** The least accuracy at its end. */
  accuracy: number;
  endings: readonly string[];
}

const beginning: Part = {
  what: 'is more often right in 20 steps, and more truly reasoned',
  step: 20,
  evaluation: { items: 250, finalItems: 250, validationItems: 20 },
  accuracy: 0.84,
  endings: ['reasons better', 'undetermined'],
};
const whole: Part = {
  what: 'reaches 95 percent of the best in half its steps, by reasoning better',
  step: preset.steps / 2,
  evaluation: { finalItems: preset.evaluation.items },
  accuracy: 0.95,
  endings: ['reasons better'],
};

const { what, step, evaluation, accuracy, endings } = sampled(beginning, whole);

it(`REINFORCE++ on order-1 stories ${what}`, async () => {
  const { start, end, ending, alerts } = await runUntil(step, evaluation);
  expect(start.overall.accuracy).toBeLessThan(0.85);
  expect(end.overall.accuracy).toBeGreaterThan(start.overall.accuracy);
  expect(end.overall.accuracy).toBeGreaterThanOrEqual(accuracy);
  expect(end.shortcutWrong.accuracy).toBeGreaterThan(start.shortcutWrong.accuracy);
  expect(end.traceValidity).toBeGreaterThan(start.traceValidity);
  expect(endings).toContain(ending);
  expect(alerts).toEqual([]);
}, 900_000);
