/**
 * Learning is real on stories as well: from a start that follows them, reward teaches order-1 stories to 95 % of the best
 * there is, and the reasoning gets truer with it. docs/experiments/history.md has every algorithm from three seeds.
 */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { modelFiles } from '../../scripts/model-files';
import { openEngine } from '../../src/gpu/engine';
import { loadPolicy } from '../../src/model/load-policy';
import type { EvalReport } from '../../src/run/events';
import { fromOutcomeTable } from '../../src/run/outcome-table';
import { presets } from '../../src/run/presets';
import { train } from '../../src/rl/trainer';
import { verdictOf } from '../../src/run/verdict';

const folder = join(import.meta.dirname, '..', '..', 'public', 'models', 'nano-order-1');

it('REINFORCE++ learns order-1 stories to 95 percent of the best in half its steps, by reasoning better', async () => {
  const preset = presets['nano-order-1'];
  const half = preset.steps / 2;
  const engine = await openEngine({ backend: 'wasm' });
  const policy = await loadPolicy(engine, { files: await modelFiles(folder) });
  const evaluations: EvalReport[] = [];
  const alerts: string[] = [];
  const config = {
    ...preset,
    evaluation: { ...preset.evaluation, every: half, finalItems: preset.evaluation.items },
  };
  for await (const event of train(policy, config)) {
    if (event.type === 'eval') evaluations.push(event.report);
    if (event.type === 'alert') alerts.push(event.alert.code);
    if (evaluations.length === 2) break;
  }
  policy.dispose();
  engine.dispose();
  const [start, end] = evaluations;
  expect(end.step).toBe(half);
  expect(start.overall.accuracy).toBeLessThan(0.85);
  expect(end.overall.accuracy).toBeGreaterThanOrEqual(0.95);
  expect(end.traceValidity).toBeGreaterThan(start.traceValidity);
  const [before, now] = [start, end].map(({ outcomes }) => fromOutcomeTable(outcomes!));
  const { ending, missing } = verdictOf(before, now, { step: half, provisional: false });
  expect([ending, missing]).toEqual(['reasons better', []]);
  expect(alerts).toEqual([]);
}, 300_000);
