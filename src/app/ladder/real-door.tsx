/** Offers real language models, each with its size, its origin and the estimated time of its first run here. */
import { useEffect } from 'preact/hooks';
import { presets } from '../../run/config/presets';
import { durationWords } from '../../run/estimate';
import { Chart } from '../charts/chart';
import type { Page } from '../page/page';
import { planOf } from '../page/planned';
import type { RealRun } from '../../run/recording/real-run';
import type { PlannedRun } from '../../../workers/protocol';
import { withMinus } from '../ui/numbers';
import { realModels } from '../words/real-models';

/**
 * Plans each model once for a backend, sequentially. Stops when a run starts, since the same worker plans and trains.
 *
 * @returns the plan of a preset; null if it failed, undefined before
 */
function usePlans({ session, realPlans }: Pick<Page, 'session' | 'realPlans'>, isBusy: boolean) {
  const wish = session.wish.value;
  const keyOf = (preset: string): string => `${preset} ${wish}`;
  useEffect(() => {
    let isWanted = !isBusy;
    const plan = async (): Promise<void> => {
      for (const { preset } of realModels) {
        if (!isWanted || realPlans.value.get(keyOf(preset)) != null) continue;
        const planned = await planOf(session, presets[preset]);
        if (planned === null && !isWanted) continue; // the worker trains
        realPlans.value = new Map([...realPlans.value, [keyOf(preset), planned]]);
      }
    };
    void plan();
    return () => void (isWanted = false);
  }, [isBusy, wish]);
  return (preset: string): PlannedRun | null | undefined => realPlans.value.get(keyOf(preset));
}

type RealDoorProps = Pick<Page, 'session' | 'realPlans' | 'realRun'> & {
  /** Fills the form of Train with a preset; `model` asks for a model of the visitor's own. */
  onTry: (preset: string, tab?: 'model') => void;
};

export function RealDoor(props: RealDoorProps) {
  const { session, onTry } = props;
  const realRun = props.realRun.value;
  const isBusy = session.activity.value !== 'idle';
  const planned = usePlans(props, isBusy);
  return (
    <section class="door real stack tight" aria-labelledby="real-door">
      <h2 id="real-door">Train a real one:</h2>
      <ul class="real-models stack tight">
        {realModels.map(({ preset, name, download }) => (
          <li key={preset}>
            <button disabled={isBusy} onClick={() => onTry(preset)}>
              <b>{name}</b>{' '}
              <span class="quiet small">
                {download}, Hugging Face, <b>{timeWords(planned(preset))}</b>
              </span>
            </button>
          </li>
        ))}
        <li>
          <button disabled={isBusy} onClick={() => onTry('first-run-0.5b', 'model')}>
            <b>Yours</b> <span class="quiet small">Hub or files</span>
          </button>
        </li>
      </ul>
      {realRun === null ? <div class="no-real-run" /> : <Recorded run={realRun} />}
    </section>
  );
}

/** `≤ 12 minutes` */
function timeWords(planned: PlannedRun | null | undefined): string {
  if (planned === undefined) return 'timing…';
  if (planned === null) return 'time not known';
  return planned.refusal === null ? `≤ ${durationWords(planned.seconds)}` : 'too large here';
}

/** Recorded run of the smaller real model: its curves, and one answer before and after training. */
function Recorded({ run }: { run: RealRun }) {
  const { practice, tests, example, steps } = run;
  const ofSteps = practice.map(({ step }) => step);
  const line = { label: 'practice', end: '', colour: '--large', steps: ofSteps };
  return (
    <figure class="real-run stack" aria-label={`Recorded run of ${realModels[0].name}, seed ${run.seed}`}>
      <div class="real-plots">
        <Chart
          title="Thinking"
          of="tokens, dots: test"
          lines={[
            { ...line, values: practice.map(({ thinking }) => thinking) },
            {
              ...{ label: 'test', colour: line.colour, points: 'only' },
              steps: tests.map(({ step }) => step),
              values: tests.map(({ thinking }) => thinking),
            },
          ]}
          steps={steps}
          ends={[0, 100]}
          format={(value) => value.toFixed(0)}
        />
        <Chart
          title="Reward"
          of="practice"
          lines={[{ ...line, values: practice.map(({ reward }) => reward) }]}
          steps={steps}
          ends={[0, 3]}
          format={withMinus}
        />
      </div>
      <p class="quiet small" title={example.question}>
        SmolLM2, recorded:
      </p>
      {(['before', 'after'] as const).map((when) => (
        <p key={when} class="example two-lines small">
          <b>{when}</b>{' '}
          <span class="thought" title={example[when].thinks}>
            {example[when].thinks}
          </span>{' '}
          <b class={example[when].correct ? 'right' : 'wrong'}>
            <span class="thought">{example[when].answers}</span> {example[when].correct ? '✓' : '✗'}
          </b>
        </p>
      ))}
    </figure>
  );
}
