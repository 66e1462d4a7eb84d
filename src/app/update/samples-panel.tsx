/** One prompt of a step with its samples: what each wrote and earned, and what the update made of it. */
import { extent } from '../../base/statistics';
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { Samples } from './samples';
import { AlgorithmChoice } from './algorithm-choice';
import { settingsOf, stagesOf } from './stages';
import { groupToShow, placeIn } from './step-batch';
import type { UpdateProps } from './update-panel';
import { WhyThisStep } from './why-this-step';

export function SamplesPanel(props: UpdateProps) {
  const { config, batch, rollouts, algorithm } = props;
  const own = config.algorithm.name;
  const name = algorithm.value ?? own;
  const isOwn = name === own;
  /** Place among the prompts; null until somebody chooses. */
  const prompt = useSignal<number | null>(null);
  const advantages = useMemo(
    () => (isOwn ? batch.advantages : stagesOf(batch, settingsOf(name, config.algorithm)).scaled),
    [batch, name],
  );
  const groups = [...new Set(rollouts.map(({ group }) => group))];
  const index =
    prompt.value === null
      ? groups.indexOf(groupToShow(rollouts) ?? 0)
      : Math.min(prompt.value, groups.length - 1);
  return (
    <section class="panel update" aria-labelledby="samples">
      <div class="panel-head">
        <h2 id="samples">Sample by sample (step {batch.step})</h2>
        <AlgorithmChoice own={own} chosen={algorithm} />
      </div>
      <WhyThisStep {...props} />
      <Samples
        samples={rollouts.filter(({ group }) => group === groups[index])}
        advantageOf={(rollout) => advantages[placeIn(batch, rollout)] ?? 0}
        isOwn={isOwn}
        largest={extent(advantages.map(Math.abs))[1]}
        index={index}
        count={groups.length}
        onChange={(next) => (prompt.value = next)}
      />
    </section>
  );
}
