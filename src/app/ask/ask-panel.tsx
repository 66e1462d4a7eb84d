/** "Ask it yourself": the model answers a visitor's question before and after training. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { AnsweredQuestion } from '../../../workers/protocol';
import { createRandom } from '../../base/random';
import type { Rollout } from '../../run/record/rollout-record';
import type { RunConfig } from '../../run/config/config';
import type { Item } from '../../tom/item';
import { readSwapStory } from '../../tom/text/read-swap-story';
import { drawSwapWorld, swapDefaults, swapEvents, swapItem, type SwapWorld } from '../../tom/worlds/swap';
import type { Session } from '../session/session';
import { RolloutCard } from '../story/rollout-card';
import { questionSentence, storySentences } from '../story/sentences';
import { StoryPicture } from '../story/story-picture';
import { counted } from '../ui/numbers';

interface AskProps {
  session: Session;
  config: RunConfig;
  /** Id of the kept run on show; null for a recording, whose trained weights are not kept. */
  run: string | null;
}

export function AskPanel(props: AskProps) {
  const { config, run } = props;
  const key = run ?? JSON.stringify(config.model); // another model starts without the answers of this one
  if (config.data.source === 'swap') return <DrawnAsk key={key} {...props} />;
  if (config.model.kind !== 'embedded') return <FreeAsk key={key} {...props} />;
  return (
    <section class="panel" aria-labelledby="ask">
      <h2 id="ask">Ask it yourself</h2>
      <p class="empty">
        Models from elsewhere take any text, and those of the swap world take stories that are drawn for them.
        This model only knows the words of its own stories.
      </p>
    </section>
  );
}

const STREAM = 0x61736b;

/** Draws a story like those that the run trains on. Equal numbers draw equal stories. */
function drawStory({ data }: RunConfig, number: number): SwapWorld {
  const { rho = swapDefaults.rho, events = swapDefaults.events, reentry, orders } = data;
  const random = createRandom(number, STREAM);
  return drawSwapWorld(random, random.choice(orders), { rho, events, reentry });
}

/** Stories of the generator, since a model of the swap world only knows the words of that world. */
function DrawnAsk(props: AskProps) {
  const { config, run } = props;
  const number = useSignal(0);
  const world = drawStory(config, number.value);
  const story = { world, events: swapEvents(world) };
  return (
    <section class="panel" aria-labelledby="ask">
      <h2 id="ask">Ask it yourself</h2>
      <p class="explain">
        {run === null
          ? 'The model answers as it is before training, and as trained where that is kept: after a run of your own, or of the recorded ones.'
          : 'The model answers as it was before training and as the last checkpoint of this run has it.'}
      </p>
      <p class="as-told" role="status">
        {storySentences(story)} <b>{questionSentence(story)}</b>
      </p>
      <Asking {...props} item={swapItem(world, 'asked')} fault={null} onAnother={() => (number.value += 1)} />
    </section>
  );
}

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
    order: 1,
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
  /** Draws another story. */
  onAnother?: () => void;
}

function Asking({ session, config, run, item, fault, onAnother }: AskingProps) {
  const answered = useSignal<AnsweredQuestion | null>(null);
  const isAsking = useSignal(false);
  const isBusy = session.activity.value !== 'idle';
  const ask = async (): Promise<void> => {
    isAsking.value = true;
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
        {onAnother === undefined ? null : (
          <button
            disabled={isAsking.value}
            onClick={() => {
              answered.value = null;
              onAnother();
            }}
          >
            Another story
          </button>
        )}
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
      {story === null ? null : <StoryPicture story={story} told={told} />}
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
