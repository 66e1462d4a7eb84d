/** The first screen: three models of different sizes, the same stories and the same reward; do they keep thinking? */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { presets } from '../../run/config/presets';
import type { Ending } from '../../run/verdict/ending';
import type { Page } from '../page';
import { parameterWords } from '../models/sizes';
import { roughly } from '../run/remaining-time';
import type { Recording } from '../start/recording';
import { stepsTaken } from '../session/run-view';
import { replaceAddress } from '../shell/place';
import { percent, withMinus } from '../ui/numbers';
import { AnswerText } from '../story/answer-text';
import { Plot, type PlotLine } from '../charts/plot';
import { Asked, Help } from './help';
import { guesses, ladderHash, newSeed, type Guess, type LiveRung } from './ladder';
import { answerOf, curvesOf, endingOf, questionOf, rungs, type Answer, type Curves, type Rung } from './rung';

/** The replay takes so long, in milliseconds, and moves on so many times. */
const playTime = 5000;
const frames = 50;
const { steps } = presets[rungs[0].preset];

/** What is on show of one model. */
interface Shown {
  rung: Rung;
  live: LiveRung | undefined;
  recorded: RecordedRung | undefined;
  curves: Curves;
  step: number;
  answer: Answer | null;
  /** The answer is the last test's, by which the ending goes, and no practice. */
  isTest: boolean;
  ending: Ending | null;
}

interface RecordedRung {
  recording: Recording;
  curves: Curves;
  ending: Ending | null;
}

const nothing: Curves = { reward: [], thinking: [], hard: [] };

export function LadderPage({ page }: { page: Page }) {
  const { ladder, session } = page;
  const recordings = page.recordings.value;
  const recordedRungs = useMemo(
    () => new Map((recordings ?? []).map((recording) => [recording.config.preset, recordedRung(recording)])),
    [recordings],
  );
  const played = usePlayed(recordings !== null && ladder.live.value.size === 0);
  useNow(ladder.isOn.value);
  const at = useSignal<number | null>(null);
  const address = ladderHash(ladder.seed.value, ladder.guesses.value);
  useEffect(() => replaceAddress(address), [address]);
  const isLive = ladder.live.value.size > 0;
  const isOver = isLive && !ladder.isOn.value;
  const shown = rungs.map((rung) => shownOf(page, rung, recordedRungs.get(rung.preset), played));
  const line = (curve: keyof Curves): PlotLine[] =>
    shown.map(({ rung: { name, colour }, live, recorded, curves }) => ({
      name,
      colour,
      points: curves[curve],
      ghost: live === undefined ? [] : (recorded?.curves[curve] ?? []),
    }));
  const most = Math.max(
    20,
    ...shown.flatMap(({ recorded }) => recorded?.curves.thinking.map(({ value }) => value) ?? []),
  );
  const seconds = ladder.secondsLeft();
  return (
    <div class="ladder">
      <div class="ladder-head">
        <h1 tabIndex={-1}>
          Paid for right answers. Do they keep thinking? <Help about="the task" />
        </h1>
        <div class="actions">
          {ladder.isOn.value ? (
            <Progress page={page} seconds={seconds} />
          ) : (
            <button
              type="button"
              class="primary"
              disabled={session.activity.value !== 'idle'}
              onClick={() => {
                if (isOver) ladder.seed.value = newSeed();
                void ladder.start();
              }}
            >
              {isOver
                ? 'Another seed'
                : `Train them here${seconds !== null ? `, about ${roughly(seconds)}` : ''}`}
            </button>
          )}
          {isOver ? <Help about="the seed" /> : null}
          {isLive ? null : <span class="quiet">Nothing is uploaded.</span>}
        </div>
      </div>
      <ul class="rungs">
        {shown.map((one, index) => (
          <Card
            key={one.rung.name}
            page={page}
            shown={one}
            isFirst={index === 0}
            isSameQuestion={
              index > 0 && one.answer?.prompt === shown[0].answer?.prompt && one.isTest === shown[0].isTest
            }
            isOver={isOver}
          />
        ))}
      </ul>
      <div class="plots">
        <Plot
          title="Reward"
          help={<Help about="reward" />}
          lines={line('reward')}
          steps={steps}
          range={[-1, 3]}
          format={withMinus}
          at={at}
        />
        <Plot
          title="Words of thinking"
          help={<Help about="thinking" />}
          lines={line('thinking')}
          steps={steps}
          range={[0, Math.ceil(most / 5) * 5]}
          format={(value) => value.toFixed(0)}
          at={at}
        />
        <Plot
          title="Hard questions right"
          help={<Help about="hard questions" />}
          lines={line('hard')}
          steps={steps}
          range={[0, 1]}
          format={percent}
          at={at}
        />
        <Guesses page={page} shown={shown} isOver={isOver} />
      </div>
    </div>
  );
}

function recordedRung(recording: Recording): RecordedRung {
  const { records, evals } = recording;
  return { recording, curves: curvesOf(records, evals), ending: endingOf(evals) };
}

function shownOf(page: Page, rung: Rung, recorded: RecordedRung | undefined, played: number): Shown {
  const live = page.ladder.live.value.get(rung.preset);
  if (live !== undefined) {
    const { view } = live;
    const evaluations = view?.evaluations.value ?? [];
    const ending = endingOf(evaluations);
    const isTest = ending !== null;
    const rollouts = isTest ? evaluations.at(-1)?.report.samples : view?.latestRollouts.value;
    return {
      rung,
      live,
      recorded,
      curves: view === null ? nothing : curvesOf(view.records.value, evaluations),
      step: view === null ? 0 : stepsTaken(view),
      answer: answerOf(rollouts ?? []),
      isTest,
      ending,
    };
  }
  // What is not live stands as far as the replay has come; beside live ones it stands whole.
  const until = page.ladder.live.value.size > 0 ? steps : Math.round(played * steps);
  const upTo = <T extends { step: number }>(list: readonly T[]): T[] =>
    list.filter(({ step }) => step <= until);
  const { curves = nothing, recording } = recorded ?? {};
  const kept = recording?.rollouts ?? [];
  const at = upTo(kept).at(-1)?.step ?? kept.at(0)?.step;
  return {
    rung,
    live,
    recorded,
    curves: { reward: upTo(curves.reward), thinking: upTo(curves.thinking), hard: upTo(curves.hard) },
    step: until,
    answer: answerOf(kept.filter(({ step }) => step === at)),
    isTest: false,
    ending: recorded !== undefined && until === steps ? recorded.ending : null,
  };
}

/** From 0 to 1 while the recording replays; at once 1 where no motion is wanted. */
function usePlayed(isOn: boolean): number {
  const played = useSignal(matchMedia('(prefers-reduced-motion: reduce)').matches ? 1 : 0);
  useEffect(() => {
    if (!isOn || played.peek() === 1) return;
    const begun = performance.now();
    // no animation frames: they have the browser draw the page 60 times a second, for 10 that differ
    const timer = setInterval(() => {
      played.value = Math.min(1, Math.floor(((performance.now() - begun) / playTime) * frames) / frames);
      if (played.value === 1) clearInterval(timer);
    }, playTime / frames);
    return () => clearInterval(timer);
  }, [isOn]);
  return played.value;
}

/** Draws again every second, for the time left. */
function useNow(isOn: boolean): void {
  const now = useSignal(0);
  void now.value;
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => (now.value += 1), 1000);
    return () => clearInterval(timer);
  }, [isOn]);
}

/** An ending, once it has come, in the words of the guesses. */
const outcomes: Partial<Record<Ending, string>> = {
  'stops thinking': 'stopped thinking',
  'goes on writing, no longer thinks': 'fakes its thinking',
};

const outcomeWords = (ending: Ending): string => outcomes[ending] ?? ending;

/** @param props.isSameQuestion - it is the first model's too */
function Card(props: {
  page: Page;
  shown: Shown;
  isFirst: boolean;
  isSameQuestion: boolean;
  isOver: boolean;
}) {
  const { page, isFirst, isSameQuestion, isOver } = props;
  const { rung, live, answer, isTest, ending, step } = props.shown;
  const { view } = live ?? {};
  return (
    <li class={`rung ${rung.name}`} style={{ '--hue': `var(${rung.colour})` }}>
      <h2>
        {rung.name} <span class="quiet">{parameterWords(rung.preset)}</span>{' '}
        {isFirst ? <Help about="the size" /> : null}
        <span class="badge">{live === undefined ? 'recorded' : `${step}/${steps}`}</span>
      </h2>
      {answer === null ? (
        <p class="quiet">{live === undefined ? 'Not recorded.' : 'Opening…'}</p>
      ) : (
        <>
          <p class="asked-here">
            {isSameQuestion ? (
              <span class="visually-hidden">the same question</span>
            ) : (
              <Asked question={questionOf(answer)} prompt={answer.prompt} />
            )}
          </p>
          <AnswerText answer={answer}>
            {isFirst ? (
              <span class="kind quiet">
                {isTest ? 'Test' : 'Practice'} <Help about="practice and test" />
              </span>
            ) : null}
          </AnswerText>
          {live === undefined && page.ladder.live.value.size > 0 ? (
            <p class="quiet">Recorded: too few cores here for three.</p>
          ) : null}
        </>
      )}
      {ending === null || !isOver ? null : (
        <p class="rung-ending">
          <b>{outcomeWords(ending)}</b>
          {view?.id == null ? null : (
            <>
              {' '}
              <button type="button" onClick={() => page.places.go({ name: 'why', id: view.id! })}>
                Why?
              </button>
            </>
          )}
        </p>
      )}
    </li>
  );
}

function Progress({ page, seconds }: { page: Page; seconds: number | null }) {
  const { session } = page;
  const isPaused = session.activity.value === 'paused';
  return (
    <>
      <span role="status" class="ladder-left">
        {seconds === null ? 'Beginning…' : `about ${roughly(seconds)} to go`}
      </span>
      <button type="button" onClick={() => void (isPaused ? session.goOn() : session.pause())}>
        {isPaused ? 'Go on' : 'Pause'}
      </button>
      <button type="button" onClick={() => void session.stop()}>
        Stop
      </button>
    </>
  );
}

const guessOf: Partial<Record<Ending, Guess>> = {
  'stops thinking': 'stops',
  'goes on writing, no longer thinks': 'fakes',
  'keeps thinking': 'keeps',
  'thinks better': 'keeps',
};

function Guesses({ page, shown, isOver }: { page: Page; shown: readonly Shown[]; isOver: boolean }) {
  const { ladder } = page;
  const made = ladder.guesses.value;
  return (
    <section class="guesses" aria-label="Your guess">
      <h2>
        {isOver ? 'Your guess, and what came' : 'Your guess: thinking…'} <Help about="the guess" />
      </h2>
      {shown.map(({ rung, ending }) => {
        const came = ending === null ? undefined : guessOf[ending];
        const guess = made[rung.name];
        return (
          <p key={rung.name} role="radiogroup" aria-label={rung.name}>
            <span class="guess-name" style={{ color: `var(${rung.colour})` }}>
              {rung.name}
            </span>
            {isOver ? (
              <span>
                {guess === undefined ? null : `guessed ${guess} `}
                {guess === undefined || came === undefined ? null : (
                  <b class={guess === came ? 'right' : 'wrong'}>{guess === came ? '✓ ' : '✗ '}</b>
                )}
                {guess === undefined ? null : '· '}
                {ending === null ? 'not judged' : outcomeWords(ending)}
              </span>
            ) : (
              guesses.map((one) => (
                <label key={one}>
                  <input
                    type="radio"
                    name={`guess-${rung.name}`}
                    checked={guess === one}
                    onChange={() => (ladder.guesses.value = { ...made, [rung.name]: one })}
                  />
                  {one}
                </label>
              ))
            )}
          </p>
        );
      })}
    </section>
  );
}
