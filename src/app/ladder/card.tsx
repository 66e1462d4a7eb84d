/** A model of the ladder: its size, how far it is, what it thinks and answers now, and how it ended. */
import { parameterCount } from '../words/sizes';
import type { Page } from '../page/page';
import { AnswerText } from '../story/answer-text';
import { Asked, Help } from './help';
import { questionOf } from '../story/answers';
import { steps, type LadderShown, type Shown } from './shown';

export function Card({ page, one, all }: { page: Page; one: Shown; all: LadderShown }) {
  const { rung, live, answer, isTest, ending, step } = one;
  const [first] = all.shown;
  const isFirst = one === first;
  const isSameQuestion = !isFirst && answer?.prompt === first.answer?.prompt && isTest === first.isTest;
  const id = live === undefined ? rung.preset : live.view?.id;
  return (
    <li class={`rung stack ${rung.name}`} style={{ '--hue': `var(--${rung.name})` }}>
      <h2>
        {rung.name} <span class="quiet">{parameterCount(rung.preset)}</span>{' '}
        {isFirst ? <Help about="the size" /> : null}
        <span class="badge">
          {live === undefined ? 'recorded ' : ''}
          {step}/{steps}
        </span>
      </h2>
      {answer === null ? (
        <p class="quiet">{live === undefined ? 'Not recorded.' : 'Opening…'}</p>
      ) : (
        <>
          <p class="asked-here">
            {isSameQuestion ? (
              'same question'
            ) : (
              <Asked question={questionOf(answer)} prompt={answer.prompt} isRead={page.ladder.isRead} />
            )}
          </p>
          <AnswerText answer={answer}>
            {isFirst || isTest !== first.isTest ? (
              <span class="kind quiet">
                {isTest ? 'Test' : 'Practice'} {isFirst ? <Help about="practice and test" /> : null}
              </span>
            ) : null}
          </AnswerText>
        </>
      )}
      {!all.isTold || ending === null ? (
        live === undefined && all.isLive ? (
          <p class="quiet">Recorded: too few cores here for three.</p>
        ) : null
      ) : (
        <p class="rung-ending">
          <b>{ending}</b>{' '}
          {id == null ? null : (
            <button type="button" onClick={() => page.places.go({ name: 'why', id })}>
              Why?
            </button>
          )}
        </p>
      )}
    </li>
  );
}
