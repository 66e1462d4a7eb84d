/** Recordings side by side: what the headline asks, answered before anything runs. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Rollout } from '../../run/record/rollout-record';
import type { EvalReport } from '../../run/record/evaluation';
import { mainMetrics } from '../charts/charted-metrics';
import { answeredTwice, byClarity } from '../story/clearest-change';
import { percent, plainNumber } from '../ui/numbers';
import { ChoosePreset } from './choose-preset';
import type { Page } from '../page';
import { presetNames } from './preset-descriptions';
import { howOften, recordedStories, recordingFiles } from './recorded-presets';
import { recordingOf, type Recording } from './recording';
import { roughly } from '../run/remaining-time';
import { Thinking } from '../story/thinking';
import { smoothed, usualSmoothing } from '../charts/smoothing';
import { readSmallStory } from '../../tom/text/read-small-story';
import { noneWords } from '../story/grammar-key';
import { questionSentence } from '../story/sentences';
import { Term } from '../words/term';
import { Doc } from '../words/doc-link';
import { Curve, type Line } from './curve';
import { comparisonOf, shortcutWords, sizeOfRun, storyWords } from './recorded-words';

/** How long they take to their ends, whatever their lengths, in milliseconds. */
const playTime = 8000;
/** The curves move on so many times on their way. */
const frames = 80;

export function Pair({ page }: { page: Page }) {
  const recordings = page.recordings.value;
  const isThere = recordings !== null;
  const isPlaying = useSignal(!matchMedia('(prefers-reduced-motion: reduce)').matches);
  const played = useSignal(isPlaying.peek() ? 0 : 1);
  useEffect(() => {
    if (!isThere || !isPlaying.value) return;
    const begun = performance.now();
    // no animation frames: they have the browser draw the page 60 times a second, for 10 that differ
    const timer = setInterval(() => {
      played.value = Math.min(1, Math.floor(((performance.now() - begun) / playTime) * frames) / frames);
      if (played.value === 1) isPlaying.value = false;
    }, playTime / frames);
    return () => clearInterval(timer);
  }, [isThere, isPlaying.value]);
  return (
    <section class="pair-of-runs" aria-label="Recorded runs">
      <div class="endings">
        {Object.keys(recordingFiles).map((preset) => (
          <RecordedRun
            key={preset}
            preset={preset}
            recording={recordingOf(recordings, { preset })}
            played={played.value}
            page={page}
          />
        ))}
      </div>
      <div class="under">
        <p class="facts">
          <b class="badge">Recordings</b> <RecordingFacts recordings={recordings} />
        </p>
        <button
          type="button"
          onClick={() => {
            const isOn = isPlaying.value;
            played.value = isOn ? 1 : 0;
            isPlaying.value = !isOn;
          }}
        >
          {isPlaying.value ? 'Show the end' : 'Replay'}
        </button>
      </div>
    </section>
  );
}

function RecordingFacts({ recordings }: { recordings: readonly Recording[] | null }) {
  if (recordings === null) return <>are on their way.</>;
  if (recordings.length === 0) return <>They could not be fetched; everything else works without them.</>;
  const [{ recordedOn, machine }] = recordings;
  const times = recordings.map(({ seconds }) => roughly(seconds)).join(', ');
  return (
    <>
      Not running here: chosen for their endings, recorded on {recordedOn} ({machine}; they took {times}),
      replayed faster. {comparisonOf(recordings)}
    </>
  );
}

function RecordedRun(props: { preset: string; recording: Recording | null; played: number; page: Page }) {
  const { preset, recording, played, page } = props;
  const isChosen = page.draft.value.preset === preset;
  return (
    <article class={`recorded ${isChosen ? 'chosen' : ''}`}>
      <header>
        <h2>{presetNames[preset]}</h2>
        <code class="preset-code">{preset}</code>
        {page.classroom.value === null ? <ChoosePreset page={page} preset={preset} among="to run" /> : null}
      </header>
      <p>{recordedStories[preset]}</p>
      <p class="facts">
        <b>How often?</b> {howOften[preset]} {preset === 'nano-order-1' ? null : <Doc name="results" />}
      </p>
      {recording === null ? null : <Played recording={recording} played={played} />}
    </article>
  );
}

/** A recording up to the fraction `played` of its steps. */
function Played({ recording, played }: { recording: Recording; played: number }) {
  const { config, evals } = recording;
  const until = Math.round(played * config.steps);
  const first = evals[0].report;
  const last = evals.findLast(({ report }) => report.step <= until)!.report;
  const reward = stepLine(recording, mainMetrics.reward, '--ink');
  const thinking = evaluationLine(recording, '--thinking', ({ meanThinkLength }) => meanThinkLength);
  const right = evaluationLine(recording, '--shortcut', ({ shortcutRight }) => shortcutRight.accuracy);
  const wrong = evaluationLine(recording, '--thinking', ({ shortcutWrong }) => shortcutWrong.accuracy);
  const alone = evaluationLine(recording, '--quiet', ({ shortcutLine }) => shortcutLine);
  const soFar = reward.points.filter(({ step }) => step <= Math.max(1, until));
  const [rewardFrom, rewardTo] = [soFar[0].value, soFar[soFar.length - 1].value];
  const question = byClarity(answeredTwice(evals[0], evals[evals.length - 1])).at(0);
  const now = question && last.samples.find(({ itemId }) => itemId === question.before.itemId);
  const shared = { steps: config.steps, until };
  return (
    <>
      <div class="curves">
        <Curve
          {...shared}
          title="Reward"
          by="sampled"
          figures={[
            { words: `${plainNumber(rewardFrom)} → ${plainNumber(rewardTo)}, smoothed`, colour: '--ink' },
          ]}
          lines={[reward]}
          range={rangeOf(reward)}
        />
        <Curve
          {...shared}
          title="Thinking"
          by="greedy"
          figures={[
            {
              words: `${first.meanThinkLength.toFixed(0)} → ${last.meanThinkLength.toFixed(0)} tokens`,
              colour: '--thinking',
            },
          ]}
          lines={[thinking]}
          range={[0, Math.max(1, rangeOf(thinking)[1])]}
        />
        <Curve
          {...shared}
          title="Right answers"
          by="greedy"
          figures={[
            { words: `- - the shortcut alone ${shortcutWords(recording)}`, colour: '--quiet' },
            {
              words: `where the shortcut is right ${Math.round(100 * first.shortcutRight.accuracy)} → ${percent(last.shortcutRight.accuracy)}`,
              colour: '--shortcut',
            },
            {
              words: `where it is wrong ${Math.round(100 * first.shortcutWrong.accuracy)} → ${percent(last.shortcutWrong.accuracy)}`,
              colour: '--thinking',
            },
          ]}
          lines={[right, wrong, { ...alone, dashed: true }]}
          range={[0, 1]}
        />
      </div>
      {question === undefined || now === undefined ? null : (
        <div class="answers">
          <Asked rollout={question.before} />
          <Answered rollout={question.before} step={first.step} />
          <Answered rollout={now} step={last.step} />
          <details class="facts">
            <summary>What it thinks, and what it is asked</summary>
            <Thought rollout={question.before} step={first.step} />
            <Thought rollout={now} step={last.step} />
            <p>
              {storyWords(config)}; {sizeOfRun(config)}. The <Term word="shortcut" /> alone is right on{' '}
              <b>{shortcutWords(recording)}</b>.
            </p>
          </details>
        </div>
      )}
    </>
  );
}

/** What was asked, without the story: that stands below, in the recording in full. */
function Asked({ rollout }: { rollout: Rollout }) {
  const story = readSmallStory(rollout.prompt);
  if (story === null) return null;
  return (
    <p>
      One question, picked for its change: <b>{questionSentence(story)}</b> In the {rollout.goldAnswer}.
    </p>
  );
}

/** How much it thinks, how much of that is true, and what it answers. */
function Answered({ rollout, step }: { rollout: Rollout; step: number }) {
  const { answer, correct, trace, think } = rollout.reward;
  const statements = trace?.statements ?? [];
  const trueOnes = statements.filter(({ verdict }) => verdict === 'true').length;
  return (
    <div class="answered">
      <span class="tag">Step {step}</span>
      <span>
        {think.trim() === '' ? (
          <em>thinks nothing at all</em>
        ) : (
          `${trueOnes} of ${statements.length} statements true`
        )}
        :{' '}
        <b class={correct ? 'right' : 'wrong'}>
          {answer ?? 'unreadable'} {correct ? '✓ right' : '✗ wrong'}
        </b>
      </span>
    </div>
  );
}

function Thought({ rollout, step }: { rollout: Rollout; step: number }) {
  const story = readSmallStory(rollout.prompt);
  return (
    <>
      <p>
        Step {step} thinks{story === null ? '' : ` (${noneWords[story.kind]})`}:
      </p>
      <Thinking rollout={rollout} />
    </>
  );
}

function stepLine({ records }: Recording, metric: string, colour: string): Line {
  const values = smoothed(
    records.map((record) => record[metric] ?? null),
    usualSmoothing,
  );
  return {
    colour,
    points: records.flatMap(({ step }, index) => {
      const value = values[index];
      return value === null ? [] : [{ step, value }];
    }),
  };
}

function evaluationLine({ evals }: Recording, colour: string, of: (report: EvalReport) => number): Line {
  return { colour, points: evals.map(({ report }) => ({ step: report.step, value: of(report) })) };
}

function rangeOf({ points }: Line): [number, number] {
  const values = points.map(({ value }) => value);
  return [Math.min(...values), Math.max(...values)];
}
