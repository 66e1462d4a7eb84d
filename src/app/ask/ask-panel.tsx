/** A question of the visitor's own, answered by the model before its training and after it. */
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { AnsweredQuestion } from '../../../workers/protocol';
import type { Evaluation } from '../../run/record/evaluation';
import type { Rollout } from '../../run/record/rollout-record';
import type { RunConfig } from '../../run/config/config';
import { swapQuestion } from '../../tom/worlds/swap';
import type { Session } from '../session/session';
import { StoryPicture } from '../story/story-picture';
import { questionSentence, storySentences } from '../story/sentences';
import { AskButton } from './ask-button';
import { drawnStory, faultOf, isComposed, itemOf, storyOf, usualStory, type DraftStory } from './compose';
import { BothModels } from './both-models';
import { FreeAsk } from './free-ask';
import { prefilledQuestion, prefilledWords } from './prefilled';
import { StoryForm } from './story-form';

interface AskProps {
  session: Session;
  config: RunConfig;
  /** The kept run that is on show; null where a recording is, whose trained weights are not kept. */
  run: string | null;
  /** From which it takes the question to begin with. */
  evaluations: readonly Evaluation[];
}

interface Answered {
  draft: DraftStory;
  answers: AnsweredQuestion;
}

export function AskPanel({ session, config, run, evaluations }: AskProps) {
  if (isComposed(config)) {
    return <Ask key={run} session={session} config={config} run={run} evaluations={evaluations} />;
  }
  if (config.model.kind !== 'embedded') {
    return <FreeAsk session={session} config={config} run={run} />;
  }
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

function Ask({ session, config, run, evaluations }: AskProps) {
  const number = useSignal(0);
  /** Null until somebody changes something: then later evaluations change the story no more. */
  const changed = useSignal<DraftStory | null>(null);
  const answered = useSignal<Answered | null>(null);
  const isAsking = useSignal(false);
  const prefilled = useMemo(() => prefilledQuestion(evaluations), [evaluations, evaluations.length]);
  const draft = changed.value ?? prefilled?.draft ?? drawnStory(1);
  const fault = faultOf(draft);
  const isBusy = session.activity.value !== 'idle';
  const ask = async (): Promise<void> => {
    isAsking.value = true;
    const asked = draft;
    changed.value = asked;
    const answers = await session.attempt((service) =>
      service.ask({ config, run, item: itemOf(asked), seed: number.value }),
    );
    isAsking.value = false;
    answered.value = answers && { draft: asked, answers };
  };
  return (
    <section class="panel ask" aria-labelledby="ask">
      <div class="panel-head">
        <h2 id="ask">Ask it yourself</h2>
        <button
          type="button"
          onClick={() => {
            number.value += 1;
            changed.value = drawnStory(number.value);
          }}
        >
          Another story
        </button>
      </div>
      <p class="explain">
        Pick who does what and where, and whom the question is about.{' '}
        {run === null
          ? 'The model answers as it is before training, and as trained where that is kept: after a run of your own, or of the recorded ones.'
          : 'The model answers as it was before training and as the last checkpoint of this run has it.'}
      </p>
      <p class="facts">
        {prefilled === null || (changed.value !== null && changed.value !== prefilled.draft)
          ? ''
          : prefilledWords(prefilled)}{' '}
        {usualWords()}
      </p>
      <StoryForm draft={draft} onChange={(next) => (changed.value = next)} />
      <AskButton fault={fault} isBusy={isBusy} isAsking={isAsking} ask={ask} />
      {answered.value === null ? null : (
        <TwoAnswers {...answered.value} temperature={config.rollout.temperature} />
      )}
    </section>
  );
}

function TwoAnswers({ draft, answers: { start, now }, temperature }: Answered & { temperature: number }) {
  const story = storyOf(draft);
  const told = [
    { name: 'before training', rollout: start.greedy },
    ...(now === null ? [] : [{ name: `step ${now.step}`, rollout: now.greedy }]),
  ];
  return (
    <div class="answers">
      <p class="as-told">
        {storySentences(story)} <b>{questionSentence(story)}</b>
      </p>
      <p class="facts">
        <code>{swapQuestion(story.world)}</code> True answer: <b>{start.greedy.goldAnswer}</b>.
        {start.greedy.shortcutAnswer === null ? null : (
          <span class="shortcut">
            {' '}
            The shortcut (where it was after the first event) says <b>{start.greedy.shortcutAnswer}</b>.
          </span>
        )}
      </p>
      {told.some(({ rollout }) => isUnread(rollout)) ? (
        <p class="notice">
          Some of what it thinks could not be read. {usualWords()} It has seen no others, and may write
          anything for them.
        </p>
      ) : null}
      <StoryPicture story={story} told={told} label="Your story as a picture" />
      <BothModels start={start} now={now} temperature={temperature} />
    </div>
  );
}

/** What the models know, since they know nothing else. */
function usualWords(): string {
  const { least, most, people } = usualStory();
  const lines = least === most ? String(least) : `${least} to ${most}`;
  return `The models of this world were trained on stories of ${lines} lines about ${people} people.`;
}

function isUnread({ reward }: Rollout): boolean {
  return reward.trace?.statements.some(({ verdict }) => verdict === 'unread') === true;
}
