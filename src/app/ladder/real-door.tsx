/** Offers real language models, each with its size, its origin and the estimated time of its first run here. */
import { presets } from '../../run/config/presets';
import { durationWords } from '../../run/estimate';
import { Chart } from '../charts/chart';
import type { Page } from '../page/page';
import { usePlan } from '../page/planned';
import type { RealRun } from '../../run/recording/recording-file';
import { withMinus } from '../ui/numbers';
import { realModels } from '../words/real-models';

/** @param props.onTry - fills the form of Train with a preset; `model` asks for a model of the visitor's own */
export function RealDoor(
  props: Pick<Page, 'session' | 'realRun'> & { onTry: (preset: string, tab?: 'model') => void },
) {
  const { session, onTry } = props;
  const realRun = props.realRun.value;
  const isBusy = session.activity.value !== 'idle';
  return (
    <section class="door real stack tight" aria-labelledby="real-door">
      <h2 id="real-door">Train a real one:</h2>
      <ul class="real-models stack tight">
        {realModels.map(({ preset, name, download }) => (
          <li key={preset}>
            <button disabled={isBusy} onClick={() => onTry(preset)}>
              <b>{name}</b>{' '}
              <span class="quiet small">
                {download}, Hugging Face, <TimeHere {...{ session, preset }} />
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
      {realRun === null ? null : <Recorded run={realRun} />}
    </section>
  );
}

/** `≤ 12 minutes` */
function TimeHere({ session, preset }: { session: Page['session']; preset: string }) {
  const planned = usePlan(session, presets[preset]);
  if (planned == null) return <b>{planned === null ? 'time not known' : 'timing…'}</b>;
  return <b>{planned.refusal === null ? `≤ ${durationWords(planned.seconds)}` : 'too large here'}</b>;
}

/** Recorded run of the smaller real model: its curves, and one answer before and after training. */
function Recorded({ run }: { run: RealRun }) {
  const { practice, tests, example, steps } = run;
  const colour = '--large';
  const line = { label: 'practice', end: '', colour, steps: practice.map(({ step }) => step) };
  const thought = tests.map(({ thinking }) => thinking);
  return (
    <figure class="real-run stack" aria-label={`Recorded run of ${realModels[0].name}, seed ${run.seed}`}>
      <div class="real-plots">
        <Chart
          title="Thinking"
          of="tokens, dots: test"
          lines={[
            { ...line, values: practice.map(({ thinking }) => thinking) },
            { label: 'test', colour, points: 'only', steps: tests.map(({ step }) => step), values: thought },
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
