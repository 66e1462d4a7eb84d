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
import { advantageWords, comparisonOf, workedWords } from './comparison';
import { DotStrip, type Dot } from './dot-strip';
import { stagesOf } from './stages';
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
  /** Index of the answer whose dot was pressed. */
  const pressed = useSignal<{ of: StepBatch; index: number } | null>(null);
  const answers = useMemo(
    () => new Map(rollouts.map((rollout) => [placeIn(batch, rollout), rollout])),
    [batch, rollouts],
  );
  const best = [...answers.keys()]
    .filter((index) => index >= 0) // the batch omits masked samples
    .toSorted((one, other) => advantages[other] - advantages[one])
    .at(0);
  const told = pressed.value?.of === batch ? pressed.value.index : best;
  const answerWords = (index: number): string => {
    const answer = answers.get(index)?.reward.answer;
    return answer === undefined ? 'An answer whose words are not kept' : `“${answer ?? 'unreadable'}”`;
  };
  const largest = Math.max(...advantages.map(Math.abs));
  const dots = (values: readonly number[]): Dot[] =>
    values.map((value, i) => ({
      value,
      colour: advantageColour(advantages[i], largest),
      isTold: i === told,
    }));
  const { mean, spread } = comparisonOf(settings);
  const hasKl = settings.kl.place === 'reward' && settings.kl.coefficient > 0;
  const scale = rangeAround([...stages.scaled, ...advantages]);
  /** The numbers of all samples after each stage. */
  const strips: [title: string, values: readonly number[], range: [number, number]][] = [
    ['Rewards', rewards, extent([0, ...rewards])],
    [mean, stages.centred, rangeAround(stages.centred)],
    [spread, stages.scaled, scale],
    [hasKl ? 'minus KL: the advantages' : 'the advantages', advantages, scale],
  ];
  const sampled = completionsOf(config);
  return (
    <section class="panel update" aria-labelledby="update">
      <h2 id="update">What this update did (step {batch.step})</h2>
      <p>{advantageWords(settings)}</p>
      {rewards.length === 0 ? <p>No sample takes part in this update.</p> : null}
      {told === undefined ? null : (
        <p role="status">
          {answerWords(told)} {workedWords(settings, batch, stages, told)}
        </p>
      )}
      {why}
      <ol class="stages">
        {strips.map(([title, values, range], stage) => {
          const words = stage === 0 ? withMinus : signedNumber;
          return (
            <li key={stage}>
              <b>{title}</b>
              <DotStrip
                onPress={(index) => (pressed.value = { of: batch, index })}
                dots={dots(values)}
                range={range}
                label={`${title}, from ${extent(values).map(words).join(' to ')}`}
                words={words}
              />
            </li>
          );
        })}
      </ol>
      <p class="explain">
        Each of {rewards.length} completions is a dot; press one for its answer. Numbers: how many, and their
        middle value.{' '}
        <span class="key">
          <i style={{ background: 'var(--likelier)' }} /> above 0: pushed up{' '}
          <i style={{ background: 'var(--unlikelier)' }} /> below 0: pushed down
        </span>{' '}
        <Doc name="algorithms">How {algorithmNames[settings.name]} compares them</Doc>{' '}
        {sampled > MOST_DRAWN && rollouts.length < sampled
          ? `Drawn and compared are ${rollouts.length} of the ${sampled} completions, prompt by prompt: with more, single ones could not be seen.`
          : null}
      </p>
    </section>
  );
}

/**
 * Colour of an advantage: one hue for a push up and one for a push down, paler for smaller advantages.
 *
 * @param largest - advantage with the full colour
 */
function advantageColour(advantage: number, largest: number): string {
  const share = Math.abs(advantage) / Math.max(largest, Number.MIN_VALUE);
  if (share < 0.01) return 'var(--unmoved)';
  const hue = advantage > 0 ? '--likelier' : '--unlikelier';
  return `color-mix(in oklab, var(${hue}) ${Math.round(30 + 70 * share)}%, var(--unmoved))`;
}

/** Index of a rollout in the lists of the batch; -1 if the batch omits it. */
export function placeIn({ groups, samples }: StepBatch, { group, sample }: Rollout): number {
  const own = groups.flatMap((name, i) => (name === group ? [i] : []));
  return samples === undefined ? (own[sample] ?? -1) : (own.find((i) => samples[i] === sample) ?? -1);
}

/** Range with 0 in the middle. */
function rangeAround(values: readonly number[]): [number, number] {
  const size = Math.max(1e-6, ...values.map(Math.abs));
  return [-size, size];
}
