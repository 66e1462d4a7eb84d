/** A question in the visitor's own words, for models that read any text. */
import { useSignal } from '@preact/signals';
import type { AnsweredQuestion } from '../../../workers/protocol';
import type { Item } from '../../tom/item';
import type { RunConfig } from '../../run/config/config';
import type { Session } from '../session/session';
import { AskButton } from './ask-button';
import { BothModels } from './both-models';

const usual = {
  story:
    'Ann and Bob are in the kitchen. The key is in the drawer. Ann goes out. Bob puts the key into the box.',
  question: 'Where does Ann think that the key is?',
  answer: 'drawer',
};

const mostText = 4000;

function itemOf({ story, question, answer }: typeof usual): Item {
  return {
    ...{ id: 'asked', dataset: 'own', storyId: 'asked' },
    ...{ story: story.trim(), question: question.trim(), answer: answer.trim() },
    ...{ order: 1, shortcuts: {}, training: 'forbidden' },
  };
}

export function FreeAsk(props: {
  session: Session;
  config: RunConfig;
  /** The kept run that is on show; null where there is none. */
  run: string | null;
}) {
  const { session, config, run } = props;
  const texts = useSignal(usual);
  const answers = useSignal<AnsweredQuestion | null>(null);
  const isAsking = useSignal(false);
  const isBusy = session.activity.value !== 'idle';
  const isWhole = Object.values(texts.value).every((text) => text.trim() !== '');
  const take = (name: keyof typeof usual) => (event: { currentTarget: { value: string } }) => {
    texts.value = { ...texts.value, [name]: event.currentTarget.value };
  };
  const ask = async (): Promise<void> => {
    isAsking.value = true;
    answers.value = await session.attempt((service) =>
      service.ask({ config, run, item: itemOf(texts.value), seed: 1 }),
    );
    isAsking.value = false;
  };
  return (
    <section class="panel ask" aria-labelledby="ask">
      <h2 id="ask">Ask it yourself</h2>
      <p class="explain">
        A story and a question in your own words. The model gets them in the form that it is trained on, and
        answers as it was before training
        {run === null ? '' : ' and as the last checkpoint of this run has it'}.
      </p>
      <label class="field">
        <span>Story</span>
        <textarea rows={4} maxLength={mostText} value={texts.value.story} onInput={take('story')} />
      </label>
      <label class="field">
        <span>Question</span>
        <input type="text" maxLength={mostText} value={texts.value.question} onInput={take('question')} />
      </label>
      <label class="field">
        <span>The answer that counts as right</span>
        <input type="text" maxLength={mostText} value={texts.value.answer} onInput={take('answer')} />
      </label>
      <AskButton
        fault={isWhole ? null : 'Story, question and answer are all needed.'}
        isBusy={isBusy}
        isAsking={isAsking}
        ask={ask}
      />
      {answers.value === null ? null : (
        <div class="answers">
          <BothModels {...answers.value} temperature={config.rollout.temperature} />
        </div>
      )}
    </section>
  );
}
