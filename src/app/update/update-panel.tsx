/** Effect of one update: the way of the step's rewards to advantages. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { MOST_DRAWN } from '../../run/record/rollouts';
import { extent } from '../../base/statistics';
import { useMemo } from 'preact/hooks';
import { algorithmNames } from '../../objective/algorithm';
import { completionsOf, type RunConfig } from '../../run/config/config';
import type { Rollout } from '../../run/record/rollout-record';
import { signedNumber, withMinus } from '../ui/numbers';
import { DotStrip } from './dot-strip';
import { stagesOf, stageWords } from './stages';
import { Doc } from '../words/doc-link';
import type { StepBatch } from '../../run/recording/step-batch';

export interface UpdateProps {
  config: RunConfig;
  batch: StepBatch;
  /** Rollouts of the batch whose texts are stored. */
  rollouts: readonly Rollout[];
  /** Explains why the panel shows a step other than the slider's. */
  why: ComponentChildren;
}

export function UpdatePanel({ config, batch, rollouts, why }: UpdateProps) {
  const settings = config.algorithm;
  const { advantages, rewards } = batch;
  const stages = useMemo(() => stagesOf(batch, settings), [batch, settings]);
  const places = useMemo(() => rollouts.map((rollout) => placeIn(batch, rollout)), [batch, rollouts]);
  /** Index of the answer whose dot was pressed. */
  const pressed = useSignal<{ of: StepBatch; index: number } | null>(null);
  const best = places
    .filter((index) => index >= 0) // the batch omits masked samples
    .toSorted((one, other) => advantages[other] - advantages[one])
    .at(0);
  const told = pressed.value?.of === batch ? pressed.value.index : best;
  /** Undefined if its text is not stored. */
  const answer = rollouts[places.indexOf(told ?? -1)]?.reward.answer;
  const largest = Math.max(...advantages.map(Math.abs));
  const [mean, spread] = stageWords(settings);
  const hasKl = settings.kl.place === 'reward' && settings.kl.coefficient > 0;
  const strips: [title: string, values: readonly number[]][] = [
    ['Rewards', rewards],
    [mean, stages.centred],
    [spread, stages.scaled],
    [hasKl ? 'minus KL, the advantage' : 'the advantage', advantages],
  ];
  const sampled = completionsOf(config);
  return (
    <section class="panel update" aria-labelledby="update">
      <h2 id="update">What this update did (step {batch.step})</h2>
      {rewards.length === 0 ? <p>No sample takes part in this update.</p> : null}
      {told === undefined ? null : (
        <p role="status">
          {answer === undefined ? 'This answer' : `“${answer ?? 'unreadable'}”`} earned{' '}
          {withMinus(rewards[told])};{' '}
          {strips
            .slice(1)
            .map(([title, values]) => `${title}: ${signedNumber(values[told])}`)
            .join('; ')}
          {advantages[told] === 0 ? '' : `, so it was pushed ${advantages[told] > 0 ? 'up' : 'down'}`}.
        </p>
      )}
      {why}
      <ol class="stages">
        {strips.map(([title, values], stage) => {
          const words = stage === 0 ? withMinus : signedNumber;
          return (
            <li key={stage} class="stack tight">
              <b>{title}</b>
              <DotStrip
                onPress={(index) => (pressed.value = { of: batch, index })}
                dots={values.map((value, i) => ({
                  value,
                  colour: advantageColour(advantages[i], largest),
                  isTold: i === told,
                }))}
                label={`${title}, from ${extent(values).map(words).join(' to ')}`}
                words={words}
              />
            </li>
          );
        })}
      </ol>
      <p class="explain">
        Each of {rewards.length} completions is a dot; press one for its answer. Numbers: how many, and their
        middle value. <b class="up">●</b> above 0: pushed up <b class="down">●</b> below 0: pushed down{' '}
        <Doc name="algorithms">How {algorithmNames[settings.name]} compares them</Doc>{' '}
        {sampled > MOST_DRAWN && rollouts.length < sampled
          ? `Drawn and compared are ${rollouts.length} of the ${sampled} completions, prompt by prompt: with more, single ones could not be seen.`
          : null}
      </p>
    </section>
  );
}

/** One hue for a push up and one for a push down, in full for the `largest` advantage and paler for smaller ones. */
function advantageColour(advantage: number, largest: number): string {
  const hue = advantage > 0 ? '--likelier' : '--unlikelier';
  const share = Math.round(100 * Math.sqrt(Math.abs(advantage) / Math.max(largest, Number.MIN_VALUE)));
  return `color-mix(in oklab, var(${hue}) ${share}%, var(--unmoved))`;
}

/** Index of a rollout in the lists of the batch; -1 if the batch omits it. */
export function placeIn({ groups, samples }: StepBatch, { group, sample }: Rollout): number {
  const own = groups.flatMap((name, i) => (name === group ? [i] : []));
  return samples === undefined ? (own[sample] ?? -1) : (own.find((i) => samples[i] === sample) ?? -1);
}
