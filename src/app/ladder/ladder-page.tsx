/** The first screen: three small models that train in seconds, and a choice of real models. */
import { useEffect, useRef } from 'preact/hooks';
import { rungs } from '../../run/recording/recording-file';
import { sameConfig } from '../../run/config/fields';
import { presets } from '../../run/config/presets';
import { durationWords } from '../../run/estimate';
import { readSwapStory } from '../../tom/text/read-swap-story';
import { Chart, type ChartProps } from '../charts/chart';
import type { ChartLine } from '../charts/lines/chart-line';
import type { Curve } from '../charts/lines/curve';
import { ladderHash } from '../page/ladder';
import { fillForm, type Fillable, type Page } from '../page/page';
import { replaceAddress } from '../page/place';
import { RunControls } from '../runs/run-controls';
import { cutOffRun } from '../runs/kept-runs';
import { capital, questionSentence } from '../story/sentences';
import { StoryPicture } from '../story/story-picture';
import { percent, withMinus } from '../ui/numbers';
import { seenWords } from '../words/ending-words';
import { exactSize } from '../words/sizes';
import { GuessRow } from './guesses';
import { Doc } from '../words/doc-link';
import { RealDoor } from './real-door';
import { steps, useShown, type LadderShown, type Shown } from './shown';

const words = presets[rungs[0].preset].rollout.maxNewTokens; // the same for all three, as is the reward
const plots: (Omit<ChartProps, 'lines' | 'steps'> & { curve: 'reward' | 'thinking' | 'hard' })[] = [
  { title: 'Reward', of: 'practice', curve: 'reward', ends: [0, 3], format: withMinus },
  {
    ...{ title: 'Words of thinking', of: 'practice, dots: test', curve: 'thinking' },
    ...{ ends: [0, words / 2], format: (value) => value.toFixed(0) },
  },
  { title: 'Hard questions right', of: 'test', curve: 'hard', ends: [0, 1], format: percent },
];

type LadderProps = Fillable & Pick<Page, 'ladder' | 'recordings' | 'realRun' | 'lesson' | 'askedRecording'>;

export function LadderPage(props: LadderProps) {
  const { ladder, session, places, lesson, askedRecording } = props;
  const onTry = (preset: string, tab?: 'model'): void => fillForm(props, presets[preset], tab);
  const all = useShown(props);
  const { shown, isTold, isWatched } = all;
  const address = ladderHash(ladder.seed.value);
  useEffect(() => replaceAddress(address), [address]);
  const line = useRef<HTMLParagraphElement>(null);
  const isAsked = ladder.asksGuess.value;
  // The recording goes on after the guesses, which may be below the fold.
  useEffect(() => {
    if (isAsked) line.current?.scrollIntoView({ block: 'nearest' });
  }, [isAsked]);
  const canShow = session.activity.value === 'idle' && !lesson.value;
  const whyOf = ({ rung, live }: Shown): (() => void) | undefined => {
    const view = live ?? null;
    if (view === null && !canShow) return undefined;
    return () => {
      session.show(view);
      askedRecording.value = view === null ? rung.preset : null;
      places.go({ name: 'run', tab: 'why' });
    };
  };
  return (
    <div class="first">
      <div class="first-head">
        <p>
          Reinforcement learning of a language model, on your own computer, in this tab.{' '}
          <Doc name="faq">Terms</Doc>
        </p>
        <h1 tabIndex={-1}>We reward models for right answers. Do they keep reasoning?</h1>
      </div>
      <Press {...{ ladder, session, all }} />
      <div class="plots">
        {plots.map(({ curve, ...axes }) => (
          <Chart key={curve} {...{ ...axes, steps }} lines={linesOf(shown, curve)} />
        ))}
      </div>
      <section class="stack tight" aria-label="Three small models">
        <Picture {...{ ladder, all, whyOf }} />
        {isWatched ? (
          <div class="below">
            {isTold ? (
              <Outcome {...{ all, onTry }} />
            ) : ladder.isGuessed.value ? null : (
              <p ref={line} class="guess-line">
                Will each keep reasoning, fake it or stop? Make your guess to see the ending.{' '}
                <button onClick={() => (ladder.isSkipped.value = true)}>Skip</button>
              </p>
            )}
          </div>
        ) : null}
      </section>
      <RealDoor {...props} onTry={onTry} />
    </div>
  );
}

/** Lists the changes in the test and suggests further experiments, on the middle model. */
function Outcome({ all, onTry }: { all: LadderShown; onTry: (preset: string) => void }) {
  const { shown, isLive } = all;
  return (
    <section class="outcome stack" aria-label="What happened">
      <p class="quiet small">On test questions:</p>
      <ul>
        {shown.map(({ rung, live, verdict }) => (
          <li key={rung.name}>
            <b style={{ color: `var(--${rung.name})` }}>{capital(rung.name)}</b>
            {isLive && live === undefined ? ', recorded' : ''}: {seenWords(verdict, 'words')}
          </li>
        ))}
      </ul>
      <div class="actions">
        <button onClick={() => onTry('swap-debiased')}>What if the shortcut rarely works?</button>
        <button onClick={() => onTry('swap-faithful')}>What if correct reasoning is paid?</button>
      </div>
    </section>
  );
}

/** Lines of the models, back to front: their recordings, thin lines of easy questions, curves, and dots of the test. */
function linesOf(shown: readonly Shown[], curve: (typeof plots)[number]['curve']): ChartLine[] {
  const line = ({ rung: { name } }: Shown, of: string, own: Curve, look: Partial<ChartLine>): ChartLine => ({
    ...{ label: `${name}${of}`, colour: `--${name}`, ...own, ...look },
  });
  // One label names all thin lines.
  const thin = (one: Shown, name: string, own: Curve, isLast: boolean, dash?: number): ChartLine =>
    line(one, `, ${name}`, own, { faint: true, dash, end: isLast ? name : undefined });
  const live = shown.filter((one) => one.live !== undefined);
  return [
    ...live.map((one) => thin(one, 'recorded', one.ghost[curve], one === live.at(-1))),
    ...(curve !== 'hard' ? [] : shown).map((one) =>
      thin(one, 'easy', one.curves.easy, one === shown.at(-1), 2),
    ),
    ...shown.map((one) => line(one, '', one.curves[curve], { end: one.rung.name, points: curve === 'hard' })),
    ...(curve !== 'thinking' ? [] : shown).map((one) =>
      line(one, ', test', one.curves.tested, { points: 'only' }),
    ),
  ];
}

/** The button that trains the three; the state of the runs while they train. */
function Press({ ladder, session, all }: Pick<Page, 'ladder' | 'session'> & { all: LadderShown }) {
  const { isLive, isOver } = all;
  const seconds = ladder.secondsLeft();
  const count = ladder.atOnce.length < rungs.length ? 'two' : 'three';
  const usual = count === 'two' ? '10 s – 2 min' : '1 – 4 min';
  const cut = isLive ? null : interrupted({ session, ladder });
  const sent = ladder.isSent.value ? 'You opened a shared link; this trains the same runs.' : '';
  const few = 'Large: a recording. This computer has too few cores to train all three.';
  const note = !isLive ? sent : count === 'two' ? few : '';
  const start = (): void => {
    if (isOver) ladder.takeAnotherSeed();
    void ladder.start();
  };
  const place = useRef<HTMLDivElement>(null);
  const isOn = ladder.isOn.value;
  const wasOn = useRef(isOn);
  useEffect(() => {
    // The pressed button was removed. Focus moves to its replacement.
    if (wasOn.current !== isOn && document.activeElement === document.body)
      place.current?.querySelector<HTMLButtonElement>('button:not(:disabled)')?.focus();
    wasOn.current = isOn;
  }, [isOn]);
  return (
    <div class="actions" ref={place}>
      <span class="visually-hidden" role="status">
        {isOn ? 'Training has started.' : isOver ? 'Training has ended.' : ''}
      </span>
      {isOn ? (
        <>
          <span class="ladder-left">
            {seconds === null ? 'Starting' : `about ${durationWords(seconds)} left`}
          </span>
          <RunControls session={session} />
        </>
      ) : (
        <button
          class={cut === null ? 'primary' : ''}
          disabled={session.activity.value !== 'idle'}
          onClick={start}
        >
          {isOver ? 'Another seed?' : `Train ${count} small models, ${usual}`}
        </button>
      )}
      {cut === null ? null : (
        <button class="primary" onClick={() => void ladder.start(cut.runs)}>
          Resume your models from step {cut.step}
        </button>
      )}
      {all.isWatched ? null : (
        <button onClick={() => (ladder.asksGuess.value = true)}>Watch our recording</button>
      )}
      {note === '' ? null : <span class="quiet small">{note}</span>}
    </div>
  );
}

/** Runs of this seed by preset, and the lowest checkpoint step of interrupted ones. Null if none was interrupted. */
export function interrupted({ session, ladder }: Pick<Page, 'session' | 'ladder'>) {
  const latest = ladder.atOnce.flatMap(({ preset }) => {
    const own = { ...presets[preset], seed: ladder.seed.value };
    const runs = session.runs.value.filter(({ config }) => sameConfig(config, own));
    const cut = cutOffRun(runs);
    const run = cut ?? runs.find(({ status }) => status === 'done');
    return run === undefined ? [] : [{ preset, run, isEnded: cut === null }];
  });
  const steps = latest.flatMap(({ run, isEnded }) => (isEnded ? [] : [run.checkpointStep ?? 0]));
  if (steps.length === 0) return null;
  const runs = new Map(latest.map(({ preset, run: { id }, isEnded }) => [preset, { id, isEnded }]));
  return { step: Math.min(...steps), runs };
}

/** The story as a picture, with the thinking and answer of each model in its latest test. */
function Picture(props: {
  ladder: Page['ladder'];
  all: LadderShown;
  whyOf: (one: Shown) => (() => void) | undefined;
}) {
  const { ladder, all, whyOf } = props;
  const { shown, isTold, isWatched } = all;
  const first = shown[0].tested;
  const story = first && readSwapStory(first.prompt);
  if (story === null || shown.some(({ tested }) => tested === null)) return <div class="no-picture" />;
  return (
    <>
      <p class="asked-here small">{questionSentence(story)}</p>
      <StoryPicture
        story={story}
        isShort
        told={shown.map((one) => ({
          name: <ModelHead one={one} all={all} />,
          rollout: one.tested!,
          foot: isWatched ? <GuessRow {...{ ladder, one, isTold }} onWhy={whyOf(one)} /> : undefined,
        }))}
      />
    </>
  );
}

function ModelHead({ one, all }: { one: Shown; all: LadderShown }) {
  const { rung, live, step } = one;
  const badge = [...(live === undefined ? ['recorded'] : []), ...(all.isTold ? [] : [`${step}/${steps}`])];
  return (
    <span class={`rung stack ${rung.name}`} style={{ '--hue': `var(--${rung.name})` }}>
      <b class="rung-name">{rung.name}</b>
      <span class="quiet small">{exactSize(rung.preset)}</span>
      {all.isLive && badge.length > 0 ? <span class="badge">{badge.join(' ')}</span> : null}
    </span>
  );
}
