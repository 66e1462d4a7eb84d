/** "Ask it yourself": the model answers a visitor's question before and after training. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { AnsweredQuestion } from '../../../workers/protocol';
import type { Evaluation } from '../../run/record/evaluation';
import type { Rollout } from '../../run/record/rollout-record';
import type { RunConfig } from '../../run/config/config';
import type { Item } from '../../tom/item';
import { readSwapStory } from '../../tom/text/read-swap-story';
import { swapItem, type SwapWorld } from '../../tom/worlds/swap';
import type { Session } from '../session/session';
import { Prompt } from '../story/prompt';
import { RolloutCard } from '../story/rollout-card';
import { StoryPicture } from '../story/story-picture';
import { counted } from '../ui/numbers';
import { usualStory, faultOf, prefilledQuestion, prefilledWords } from './compose';
import { StoryForm } from './story-form';

interface AskProps {
  session: Session;
  config: RunConfig;
  /** Id of the kept run on show; null for a recording, whose trained weights are not kept. */
  run: string | null;
  evaluations: readonly Evaluation[];
}

export function AskPanel(props: AskProps) {
  const { config, run } = props;
  const key = run ?? JSON.stringify(config.model); // another model starts without the answers of this one
  if (config.data.source === 'swap') return <ComposedAsk key={key} {...props} />;
  if (config.model.kind !== 'embedded') return <FreeAsk key={key} {...props} />;
  return (
    <section class="panel" aria-labelledby="ask">
      <h2 id="ask">Ask it yourself</h2>
      <p class="empty">
        Stories can be composed for the swap world, and models from elsewhere take any text; this model knows
        the words of its own stories alone.
      </p>
    </section>
  );
}

/** Form for models of the swap world, whose vocabulary holds only the words of that world. */
function ComposedAsk(props: AskProps) {
  const { run, evaluations } = props;
  /** Null until the visitor changes or asks something. From then on, new evaluations leave the story unchanged. */
  const changed = useSignal<SwapWorld | null>(null);
  const prefilled = useMemo(() => prefilledQuestion(evaluations), [evaluations]);
  const world = changed.value ?? prefilled?.world ?? usualStory;
  return (
    <section class="panel" aria-labelledby="ask">
      <h2 id="ask">Ask it yourself</h2>
      <p class="explain">
        Pick who does what and where, and whom the question is about.{' '}
        {run === null
          ? 'The model answers as it is before training, and as trained where that is kept: after a run of your own, or of the recorded ones.'
          : 'The model answers as it was before training and as the last checkpoint of this run has it.'}
      </p>
      <p class="facts">
        {prefilled === null || world !== prefilled.world ? '' : prefilledWords(prefilled)} {usualWords}
      </p>
      <StoryForm world={world} onChange={(next) => (changed.value = next)} />
      <Asking
        {...props}
        item={swapItem(world, 'asked')}
        fault={faultOf(world)}
        onAsk={() => (changed.value = world)}
      />
    </section>
  );
}

const usualWords = `The models of this world were trained on stories of ${usualStory.lines.length} lines about ${usualStory.agents.length} people.`;

const usualTexts = {
  story:
    'Ann and Bob are in the kitchen. The key is in the drawer. Ann goes out. Bob puts the key into the box.',
  question: 'Where does Ann think that the key is?',
  answer: 'drawer',
};

const mostText = 4000;

function FreeAsk(props: AskProps) {
  const texts = useSignal(usualTexts);
  const { story, question, answer } = texts.value;
  const take = (name: keyof typeof usualTexts) => (event: { currentTarget: { value: string } }) => {
    texts.value = { ...texts.value, [name]: event.currentTarget.value };
  };
  const item: Item = {
    ...{ id: 'asked', dataset: 'own', storyId: 'asked' },
    ...{ story: story.trim(), question: question.trim(), answer: answer.trim() },
    ...{ order: 1, shortcuts: {}, training: 'forbidden' },
  };
  const isWhole = item.story !== '' && item.question !== '' && item.answer !== '';
  return (
    <section class="panel" aria-labelledby="ask">
      <h2 id="ask">Ask it yourself</h2>
      <p class="explain">
        A story and a question in your own words. The model gets them in the form that it is trained on, and
        answers as it was before training
        {props.run === null ? '' : ' and as the last checkpoint of this run has it'}.
      </p>
      <label class="field">
        <span>Story</span>
        <textarea rows={4} maxLength={mostText} value={story} onInput={take('story')} />
      </label>
      <label class="field">
        <span>Question</span>
        <input type="text" maxLength={mostText} value={question} onInput={take('question')} />
      </label>
      <label class="field">
        <span>The answer that counts as right</span>
        <input type="text" maxLength={mostText} value={answer} onInput={take('answer')} />
      </label>
      <Asking {...props} item={item} fault={isWhole ? null : 'Story, question and answer are all needed.'} />
    </section>
  );
}

interface AskingProps extends AskProps {
  item: Item;
  /** Reason that the question cannot be asked; null if it can. */
  fault: string | null;
  onAsk?: () => void;
}

function Asking({ session, config, run, item, fault, onAsk }: AskingProps) {
  const answered = useSignal<AnsweredQuestion | null>(null);
  const isAsking = useSignal(false);
  const isBusy = session.activity.value !== 'idle';
  const ask = async (): Promise<void> => {
    isAsking.value = true;
    onAsk?.();
    const question = { config, run, item, seed: 1 };
    answered.value = await session.attemptToFetch(
      'Loading and asking the model',
      (service) => service.ask(question),
      run,
    );
    isAsking.value = false;
  };
  return (
    <>
      <div class="actions">
        <button
          class="primary"
          disabled={fault !== null || isBusy || isAsking.value}
          onClick={() => void ask()}
        >
          Ask
        </button>
        <p role="status">
          {isAsking.value
            ? 'It is loaded and asked …'
            : (fault ?? (isBusy ? 'The run has the device: stop it, or wait for its end, to ask.' : ''))}
        </p>
      </div>
      {answered.value === null ? null : (
        <Answers {...answered.value} temperature={config.rollout.temperature} />
      )}
    </>
  );
}

/** Greedy and sampled answers of each model. A story of the swap world is also drawn as a picture. */
function Answers({ start, now, temperature }: AnsweredQuestion & { temperature: number }) {
  const shown = useRef<HTMLDivElement>(null);
  // The answers appear below the fold, so the page scrolls to them.
  useEffect(() => shown.current?.scrollIntoView({ block: 'nearest' }), [start]);
  const story = readSwapStory(start.greedy.prompt);
  const told = [
    { name: 'before training', rollout: start.greedy },
    ...(now === null ? [] : [{ name: `step ${now.step}`, rollout: now.greedy }]),
  ];
  return (
    <div class="answers stack" ref={shown}>
      {story === null ? null : (
        <>
          <Prompt rollout={start.greedy} />
          {told.some(({ rollout }) => isUnread(rollout)) ? (
            <p class="notice">
              Some of what it thinks could not be read. {usualWords} It has seen no others, and may write
              anything for them.
            </p>
          ) : null}
          <StoryPicture story={story} told={told} />
        </>
      )}
      <div class="side-by-side">
        <OneModel name="Before training" {...start} temperature={temperature} />
        {now === null ? (
          <p class="empty">Train it, and its answer after training appears here.</p>
        ) : (
          <OneModel name={`After ${counted(now.step, 'step')}`} {...now} temperature={temperature} />
        )}
      </div>
    </div>
  );
}

const isUnread = ({ reward }: Rollout): boolean =>
  reward.trace?.statements.some(({ verdict }) => verdict === 'unread') === true;

function OneModel(props: {
  name: string;
  greedy: Rollout;
  sampled: readonly Rollout[];
  temperature: number;
}) {
  const { name, greedy, sampled, temperature } = props;
  const right = sampled.filter(({ reward }) => reward.correct).length;
  return (
    <div class="one-model stack">
      <RolloutCard rollout={greedy} heading={`${name}: its likeliest answer`} greedy />
      <p class="facts">
        Sampled at temperature {temperature}: {right} of {sampled.length} right.
      </p>
      <ul class="stack tight">
        {sampled.map(({ completion, reward, sample }) => (
          <li key={sample}>
            <b class={reward.correct ? 'right' : 'wrong'}>
              {reward.correct ? '✓' : '✗'} {reward.answer ?? 'unreadable'}
            </b>{' '}
            <span class="words">{completion}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
