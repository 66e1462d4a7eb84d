/** Recordings side by side under one reward: what the headline asks, answered before anything runs. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Rollout } from '../../run/rollout-record';
import { mainMetrics } from '../charted-metrics';
import { answeredTwice, clearestChange } from '../clearest-change';
import { percent } from '../numbers';
import { ChoosePreset } from '../choose-preset';
import type { Page } from '../page';
import { presetNames } from '../preset-descriptions';
import { recordedStories, recordingFiles } from '../recorded-presets';
import { recordingOf, type Recording } from '../recording';
import { roughly } from '../remaining-time';
import { Thinking } from '../thinking';
import { smoothed } from '../smoothing';
import { Curve, type Line } from './curve';

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
    let frame = 0;
    let begun: number | null = null;
    const play = (now: number): void => {
      if (!isPlaying.peek()) return; // the end was asked for since this frame was
      begun ??= now;
      const fraction = Math.min(1, (now - begun) / playTime);
      played.value = Math.floor(fraction * frames) / frames;
      if (fraction < 1) frame = requestAnimationFrame(play);
      else isPlaying.value = false;
    };
    frame = requestAnimationFrame(play);
    return () => cancelAnimationFrame(frame);
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
      Not running here: recorded on {recordedOn} ({machine}; they took {times}), replayed faster. All are paid
      for the right form and the right answer, never for the thinking. The shortcut says where the thing was
      after the first event, whoever is asked about; it is often right.
    </>
  );
}

function RecordedRun(props: { preset: string; recording: Recording | null; played: number; page: Page }) {
  const { preset, recording, played, page } = props;
  const isChosen = page.draft.value.preset === preset;
  return (
    <article class={`recorded ${isChosen ? 'chosen' : ''}`}>
      <header>
        <h2>
          {presetNames[preset]} <code>{preset}</code>
        </h2>
        {page.classroom.value === null ? <ChoosePreset page={page} preset={preset} among="to run" /> : null}
      </header>
      <p>{recordedStories[preset]}</p>
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
  const thinking = stepLine(recording, mainMetrics.thinking, '--thinking');
  const right = evals.map(({ report: { step, shortcutRight } }) => ({ step, value: shortcutRight.accuracy }));
  const wrong = evals.map(({ report: { step, shortcutWrong } }) => ({ step, value: shortcutWrong.accuracy }));
  const soFar = reward.points.filter(({ step }) => step <= Math.max(1, until));
  const [rewardFrom, rewardTo] = [soFar[0].value, soFar[soFar.length - 1].value];
  const questions = answeredTwice(evals[0], evals[evals.length - 1]);
  const at = clearestChange(questions);
  const question = questions.at(at);
  const now = question && last.samples.find(({ itemId }) => itemId === question.before.itemId);
  const shared = { steps: config.steps, until };
  return (
    <>
      <div class="curves">
        <Curve
          {...shared}
          title="Reward"
          figures={[{ words: `${rewardFrom.toFixed(1)} → ${rewardTo.toFixed(1)}`, colour: '--ink' }]}
          lines={[reward]}
          range={rangeOf(reward)}
        />
        <Curve
          {...shared}
          title="Thinking, tokens"
          figures={[
            {
              words: `${first.meanThinkLength.toFixed(0)} → ${last.meanThinkLength.toFixed(0)}`,
              colour: '--thinking',
            },
          ]}
          lines={[thinking]}
          range={[0, Math.max(1, rangeOf(thinking)[1])]}
        />
        <Curve
          {...shared}
          title="Right answers"
          figures={[
            {
              words: `shortcut right ${Math.round(100 * first.shortcutRight.accuracy)} → ${percent(last.shortcutRight.accuracy)}`,
              colour: '--shortcut',
            },
            {
              words: `shortcut wrong ${Math.round(100 * first.shortcutWrong.accuracy)} → ${percent(last.shortcutWrong.accuracy)}`,
              colour: '--thinking',
            },
          ]}
          lines={[
            { colour: '--shortcut', points: right },
            { colour: '--thinking', points: wrong },
          ]}
          range={[0, 1]}
        />
      </div>
      {question === undefined || now === undefined ? null : (
        <div class="answers">
          <Answered rollout={question.before} step={first.step} />
          <Answered rollout={now} step={last.step} />
        </div>
      )}
    </>
  );
}

function Answered({ rollout, step }: { rollout: Rollout; step: number }) {
  const { answer, correct } = rollout.reward;
  return (
    <div class="answered">
      <span class="tag">Step {step} thinks</span>
      <Thinking rollout={rollout} />
      <span class="tag">and answers</span>
      <b class={correct ? 'right' : 'wrong'}>
        {answer ?? 'nothing that can be read'} {correct ? '✓ right' : `✗ wrong, it is ${rollout.goldAnswer}`}
      </b>
    </div>
  );
}

function stepLine({ records }: Recording, metric: string, colour: string): Line {
  const values = smoothed(
    records.map((record) => record[metric] ?? null),
    0.8,
  );
  return {
    colour,
    points: records.flatMap(({ step }, index) => {
      const value = values[index];
      return value === null ? [] : [{ step, value }];
    }),
  };
}

function rangeOf({ points }: Line): [number, number] {
  const values = points.map(({ value }) => value);
  return [Math.min(...values), Math.max(...values)];
}
