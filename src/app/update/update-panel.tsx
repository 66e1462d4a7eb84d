/** Effect of one update: the way of the step's rewards to advantages. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { MOST_DRAWN } from '../../run/record/drawn-rollouts';
import { extent } from '../../base/statistics';
import { useMemo } from 'preact/hooks';
import { algorithmNames } from '../../objective/algorithm';
import { completionsOf, type RunConfig } from '../../run/config/config';
import type { StepRecord } from '../../run/record/events';
import type { Rollout } from '../../run/record/rollout-record';
import { readSwapStory } from '../../tom/text/read-swap-story';
import { statementsOf } from '../story/answers';
import { questionSentence } from '../story/sentences';
import { plainNumber, signedNumber, withMinus } from '../ui/numbers';
import { advantageNumber, advantageWords, comparisonOf, workedWords } from './comparison';
import { DotStrip, type Dot } from './dot-strip';
import { stagesOf, uniformGroups } from './stages';
import { Doc } from '../words/doc-link';
import { groupToShow, placeIn } from './prompt-groups';
import type { StepBatch } from '../../run/recording/step-batch';
import { advantageColour, largestOf, whatFollowed } from './token-figures';

export interface UpdateProps {
  config: RunConfig;
  batch: StepBatch;
  /** Rollouts of the batch whose texts are stored. */
  rollouts: readonly Rollout[];
  record: StepRecord | null;
  /** Explains why the panel shows a step other than the slider's. */
  why: ComponentChildren;
}

export function UpdatePanel(props: UpdateProps) {
  const { config, batch, rollouts, record, why } = props;
  const settings = config.algorithm;
  const { advantages } = batch;
  const largest = largestOf(advantages);
  const stages = useMemo(() => stagesOf(batch, settings), [batch, settings]);
  const { uniform, all } = uniformGroups(batch);
  const sampled = completionsOf(config);
  const group = groupToShow(rollouts);
  const followed = whatFollowed(rollouts.filter((rollout) => rollout.group === group));
  /** Index of the answer whose dot was pressed. */
  const pressed = useSignal<{ of: StepBatch; index: number } | null>(null);
  const answers = useMemo(
    () => new Map(rollouts.map((rollout) => [placeIn(batch, rollout), rollout])),
    [batch, rollouts],
  );
  const best = [...answers.keys()]
    .filter((i) => batch.groups[i] === group)
    .toSorted((one, other) => advantages[other] - advantages[one])
    .at(0);
  const told = pressed.value?.of === batch ? pressed.value.index : best;
  const answerWords = (index: number): string => {
    const answer = answers.get(index)?.reward.answer;
    return answer === undefined ? 'An answer whose words are not kept' : `“${answer ?? 'unreadable'}”`;
  };
  const dots = (values: readonly number[]): Dot[] =>
    values.map((value, i) => ({
      value,
      colour: advantageColour(advantages[i], largest),
      isChosen: batch.groups[i] === group,
      isTold: i === told,
      words: `${answerWords(i)}: reward ${withMinus(batch.rewards[i])}, advantage ${advantageNumber(advantages[i])}`,
    }));
  const {
    mean: [mean, meanFigures],
    spread: [spread, spreadFigures],
  } = comparisonOf(settings);
  const scale = rangeAround([...stages.scaled, ...advantages]);
  /** The numbers of all samples after each stage. */
  const strips: [title: string, figures: string, values: readonly number[], range: [number, number]][] = [
    [
      'Rewards',
      `${batch.rewards.length} completions as dots; press one for its answer; numbers: how many, and their middle value`,
      batch.rewards,
      extent([0, ...batch.rewards]),
    ],
    [mean, meanFigures(batch, stages), stages.centred, rangeAround(stages.centred)],
    [spread, spreadFigures(batch, stages), stages.scaled, scale],
    ['minus KL: the advantages', klFigures(config, record, batch, stages.scaled), advantages, scale],
  ];
  return (
    <section class="panel update" aria-labelledby="update">
      <h2 id="update">What this update did (step {batch.step})</h2>
      <div class="rule">
        <div class="stack tight">
          <p>{advantageWords(settings, batch, stages.scaled)}</p>
          {told === undefined ? null : (
            <p role="status">
              {answerWords(told)} {workedWords(settings, batch.rewards[told], stages, told, advantages[told])}
            </p>
          )}
          {why}
        </div>
        <div class="stack tight">
          <p class="explain">
            {all === 0
              ? 'No sample takes part in this update.'
              : uniform === 0
                ? 'Here every prompt has samples that earned differently.'
                : `The samples of ${uniform} of the ${all} prompts all earned the same.`}{' '}
            <Doc name="algorithms">How {algorithmNames[settings.name]} compares them</Doc>{' '}
            <span class="key">
              <span>
                <i style={{ background: 'var(--likelier)' }} /> above 0: pushed up
              </span>{' '}
              <span>
                <i style={{ background: 'var(--unlikelier)' }} /> below 0: pushed down
              </span>
            </span>{' '}
            {sampled > MOST_DRAWN && rollouts.length < sampled
              ? `Drawn and compared are ${rollouts.length} of the ${sampled} completions, prompt by prompt: with more, single ones could not be seen.`
              : null}
          </p>
        </div>
      </div>
      <ol class="stages">
        {strips.map(([title, figures, values, range], stage) => {
          const words = stage === 0 ? withMinus : advantageNumber;
          return (
            <li key={stage}>
              <p>
                <b>{title}</b>
                <br />
                <span class="facts">{figures}</span>
              </p>
              <DotStrip
                onPress={(index) => (pressed.value = { of: batch, index })}
                dots={dots(values)}
                range={range}
                label={`${title}, from ${extent(values)
                  .map((value) => words(value))
                  .join(' to ')}`}
                words={words}
              />
            </li>
          );
        })}
      </ol>
      {told === undefined ? null : <AskedAndThought answer={answers.get(told)} />}
      {followed !== '' ? <p class="explain">Dots with a ring are of one prompt. {followed}</p> : null}
    </section>
  );
}

/**
 * Question and thinking of the chosen answer. The text is below the dots, which therefore do not move when its length
 * changes.
 */
function AskedAndThought({ answer }: { answer: Rollout | undefined }) {
  const story = answer === undefined ? null : readSwapStory(answer.prompt);
  if (answer === undefined || story === null) return null;
  const { think, answer: said } = answer.reward;
  return (
    <p class="explain">
      The larger dot: <b>{questionSentence(story)}</b> It thought “{statementsOf(think.trim()) || 'nothing'}”
      and answered “{said ?? 'unreadable'}”.
    </p>
  );
}

function klFigures(
  { algorithm: { kl } }: RunConfig,
  record: StepRecord | null,
  batch: StepBatch,
  scaled: readonly number[],
): string {
  const [, furthest] = extent([0, ...batch.advantages.map((value, i) => Math.abs(value - scaled[i]))]);
  const isMoved = signedNumber(furthest) !== '+0';
  const otherwise = isMoved
    ? 'these are the advantages among all samples, drawn or not.'
    : 'the advantages stay.';
  if (kl.place === 'none' || kl.coefficient === 0) return `This run has no KL penalty: ${otherwise}`;
  if (kl.place === 'loss') return `The KL is in the loss here: ${otherwise}`;
  const measured =
    record !== null && Number.isFinite(record.kl) ? ` times a KL of ${plainNumber(record.kl)} per token` : '';
  const most = signedNumber(furthest).slice(1);
  // An adaptive coefficient changes from step to step.
  const coefficient = Number((record?.kl_coefficient ?? kl.coefficient).toPrecision(3));
  return `${coefficient}${measured}: no sample moves${most === '0' ? '' : ` by more than ${most}`}.`;
}

/** Range with 0 in the middle. */
function rangeAround(values: readonly number[]): [number, number] {
  const size = Math.max(1e-6, ...values.map(Math.abs));
  return [-size, size];
}
