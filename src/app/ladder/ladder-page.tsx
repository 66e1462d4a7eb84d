/** The first screen: three models of different sizes, the same stories and the same reward; do they keep thinking? */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { boundsOfReward } from '../../run/config/reward-bounds';
import { presets } from '../../run/config/presets';
import type { Page } from '../page/page';
import { durationWords } from '../../run/estimate';
import { percent, withMinus } from '../ui/numbers';
import { replaceAddress } from '../page/place';
import { Plot, type PlotLine } from '../charts/plot';
import { Card } from './card';
import { Guesses } from './guesses';
import { Help } from './help';
import { ladderHash, type Endings } from '../page/ladder';
import { rungs } from '../../run/recording/recording-file';
import { steps, useShown } from './shown';

const config = presets[rungs[0].preset]; // of all three in what is paid and how long an answer may be
const reward = boundsOfReward(config);
const words = config.rollout.maxNewTokens;

export function LadderPage({ page }: { page: Page }) {
  const { ladder, session } = page;
  const all = useShown(page);
  const { shown, isLive, isOver } = all;
  useNow(ladder.isOn.value);
  const address = ladderHash(ladder.seed.value, ladder.guesses.value);
  useEffect(() => replaceAddress(address), [address]);
  const lines = (curve: 'reward' | 'thinking' | 'hard'): PlotLine[] =>
    shown.map(({ rung: { name }, live, ghost, curves }) => ({
      label: name,
      colour: `--${name}`,
      ...curves[curve],
      ghost: live === undefined ? undefined : ghost[curve],
      thin: curve === 'hard' ? { label: 'easy', ...curves.easy } : undefined,
    }));
  const seconds = ladder.secondsLeft();
  const isSome = ladder.atOnce.length < rungs.length;
  return (
    <div class="ladder stack">
      <div class="ladder-head spread">
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
                if (isOver) {
                  const ended = shown.flatMap(({ rung, live, ending }) =>
                    live === undefined || ending === null ? [] : [[rung.name, ending]],
                  );
                  ladder.takeAnotherSeed(Object.fromEntries(ended) as Endings);
                }
                void ladder.start();
              }}
            >
              {isOver
                ? 'Another seed'
                : `Train ${isSome ? 'two' : 'them'} here, ${seconds !== null ? `about ${durationWords(seconds)}` : isSome ? '10 seconds to 2 minutes' : '1 to 4 minutes'}`}
            </button>
          )}
          {isOver ? <Help about="the seed" /> : null}
          {isLive ? null : (
            <span class="quiet">
              {ladder.isSent.value
                ? `Sent: seed ${ladder.seed.value}. Repeats those runs.`
                : 'Nothing is uploaded.'}
            </span>
          )}
        </div>
      </div>
      <ul class="rungs">
        {shown.map((one) => (
          <Card key={one.rung.name} page={page} one={one} all={all} />
        ))}
      </ul>
      <div class="plots">
        <Plot
          title="Reward"
          help={<Help about="reward" />}
          lines={lines('reward')}
          steps={steps}
          range={reward}
          usual={[0, reward[1]]}
          format={withMinus}
        />
        <Plot
          title="Words of thinking in practice"
          help={<Help about="thinking" />}
          lines={lines('thinking')}
          steps={steps}
          range={[0, words]}
          usual={[0, words / 2]}
          format={(value) => value.toFixed(0)}
        />
        <Plot
          title="Hard questions"
          help={
            <Help
              about="hard questions"
              often={page.recordings.value?.at(0)?.evals.at(0)?.report.shortcutLine}
            />
          }
          lines={lines('hard')}
          steps={steps}
          range={[0, 1]}
          format={percent}
        />
        <Guesses page={page} all={all} />
      </div>
    </div>
  );
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

function Progress({ page, seconds }: { page: Page; seconds: number | null }) {
  const { session } = page;
  const isPaused = session.activity.value === 'paused';
  return (
    <>
      <span role="status" class="ladder-left">
        {seconds === null ? 'Beginning…' : `about ${durationWords(seconds)} to go`}
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
