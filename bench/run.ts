/** The first steps of the default preset as the trainer itself times them: seconds per step and where they go. */
import { loadPolicy, presets, train, type Engine } from '../src/index';
import { report, round, type Bench } from './measure';

/** The first step compiles shaders and fills pools. */
const WARM_UP = 1;

export async function benchRun(bench: Bench, engine: Engine, adapter: string): Promise<void> {
  const policy = await loadPolicy(engine, await bench.place.model('public/models/ladder-25k'));
  const preset = presets['ladder-25k'];
  const steps = WARM_UP + (bench.quick ? 1 : 3);
  const config = {
    ...preset,
    steps,
    evaluation: { ...preset.evaluation, every: steps, items: 8, finalItems: 8 },
    checkpointEvery: steps,
  };
  for await (const event of train(engine, policy, config)) {
    if (event.type !== 'step' || event.record.step <= WARM_UP) continue;
    const { record } = event;
    report(bench, adapter, {
      op: 'run',
      by: 'marble',
      model: 'ladder-25k',
      step: record.step,
      seconds: round(record.step_time),
      rollout: round(record['time/rollout']),
      reward: round(record['time/reward']),
      reference: round(record['time/reference']),
      update: round(record['time/update']),
      sampledTokensPerSecond: round(record['tokens_per_second/rollout']),
      trainedTokensPerSecond: round(record['tokens_per_second/train']),
      meanLength: round(record['completions/mean_length']),
    });
  }
  policy.dispose();
}
