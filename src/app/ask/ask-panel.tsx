/** "Ask it yourself": the model answers a visitor's question before and after training. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { AnsweredQuestion } from '../../../workers/protocol';
import { createRandom } from '../../base/random';
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
  // Another model starts without the answers of this one.
  return <Asking key={props.run ?? JSON.stringify(props.config.model)} {...props} />;
}

const STREAM = 0x61736b;

/** Draws a story like those that the run trains on. Equal numbers draw equal stories. */
function drawStory({ data }: RunConfig, number: number): SwapWorld {
  const { rho = swapDefaults.rho, events = swapDefaults.events, reentry, orders } = data;
  const random = createRandom(number, STREAM);
  return drawSwapWorld(random, random.choice(orders), { rho, events, reentry });
}

/** Fields with their first texts: for a model that reads English, and for one that knows the words of Hi-ToM alone. */
const fields = [
  [
    ...(['story', 'Story'] as const),
    'Ann and Bob are in the kitchen. The key is in the drawer. Ann goes out. Bob puts the key into the box.',
    'Ella, Noah, Mila, Jack and Emma entered the kitchen. The apple is in the red_box. Ella exited the kitchen. Noah moved the apple to the blue_crate. Noah exited the kitchen.',
  ],
  [
    'question',
    'Question',
    'Where does Ann think that the key is?',
    'Where does Ella really think the apple is?',
  ],
  ['answer', 'The answer that counts as right', 'drawer', 'red_box'],
] as const;

/** Draws stories for a model of the swap world, which only knows the words of that world. Others take text, of words they know. */
function Asking({ session, config, run }: AskProps) {
  const number = useSignal(0);
  const answered = useSignal<AnsweredQuestion | null>(null);
  const isAsking = useSignal(false);
  const world = config.data.source === 'swap' ? drawStory(config, number.value) : null;
  const story = world && { world, events: swapEvents(world) };
  const isBusy = session.activity.value !== 'idle';
  const ask = async (form: HTMLFormElement): Promise<void> => {
    for (const area of form.querySelectorAll('textarea')) area.value = area.value.trim();
    if (!form.reportValidity()) return; // a text of spaces is none
    const typed = (name: string): string => new FormData(form).get(name) as string;
    const item: Item = world
      ? swapItem(world, 'asked')
      : {
          ...{ id: 'asked', dataset: 'own', storyId: 'asked', order: 1 },
          ...{ story: typed('story'), question: typed('question'), answer: typed('answer') },
        };
    isAsking.value = true;
    answered.value = await session.attemptToFetch(
      'Loading and asking the model',
      (service) => service.ask({ config, run, item, seed: 1 }),
      run,
    );
    isAsking.value = false;
  };
  return (
    <section class="panel" aria-labelledby="ask">
      <h2 id="ask">Ask it yourself</h2>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void ask(event.currentTarget);
        }}
      >
        <p class="explain">
          The model answers as it was before training
          {run === null
            ? ', and as trained where that is kept: after a run of your own, or of the recorded ones.'
            : ' and as the last checkpoint of this run has it.'}
        </p>
        {story ? (
          <p class="as-told" role="status">
            {storySentences(story)} <b>{questionSentence(story)}</b>
          </p>
        ) : (
          fields.map(([name, label, inEnglish, inHiTom]) => (
            <label key={name} class="field">
              <span>{label}</span>
              <textarea
                name={name}
                rows={name === 'story' ? 4 : 1}
                maxLength={10_000}
                required
                defaultValue={config.model.kind === 'embedded' ? inHiTom : inEnglish}
              />
            </label>
          ))
        )}
        <div class="actions">
          <button class="primary" disabled={isBusy || isAsking.value}>
            Ask
          </button>
          {world === null ? null : (
            <button
              type="button"
              disabled={isAsking.value}
              onClick={() => {
                answered.value = null;
                number.value += 1;
              }}
            >
              Another story
            </button>
          )}
          <p role="status">
            {isAsking.value
              ? 'It is loaded and asked …'
              : isBusy
                ? 'The run has the device: stop it, or wait for its end, to ask.'
                : ''}
          </p>
        </div>
      </form>
      {answered.value === null ? null : (
        <Answers {...answered.value} temperature={config.rollout.temperature} />
      )}
    </section>
  );
}

/** Greedy and sampled answers of each model. A story of the swap world is also drawn as a picture. */
function Answers({ start, now, temperature }: AnsweredQuestion & { temperature: number }) {
  const shown = useRef<HTMLDivElement>(null);
  // The answers appear below the fold, so the page scrolls to them.
  useEffect(() => shown.current?.scrollIntoView({ block: 'nearest' }), [start]);
  const story = readSwapStory(start.greedy.prompt);
  const models = [{ ...start, name: 'Before training' }];
  if (now !== null) models.push({ ...now, name: `After ${counted(now.step, 'step')}` });
  return (
    <div class="answers stack" ref={shown}>
      {story === null ? null : (
        <StoryPicture
          story={story}
          told={models.map(({ name, greedy }) => ({ name: name.toLowerCase(), rollout: greedy }))}
        />
      )}
      <div class="side-by-side">
        {models.map(({ name, greedy, sampled }) => (
          <div key={name} class="stack">
            <RolloutCard rollout={greedy} heading={`${name}: its likeliest answer`} greedy />
            <p class="facts">
              Sampled at temperature {temperature}: {sampled.filter(({ reward }) => reward.correct).length} of{' '}
              {sampled.length} right.
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
        ))}
        {now === null ? <p class="empty">Train it, and its answer after training appears here.</p> : null}
      </div>
    </div>
  );
}
