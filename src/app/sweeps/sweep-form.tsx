/** Form of a sweep: lists of values to vary, the number of runs, and their duration. */
import type { Signal } from '@preact/signals';
import { MarbleError } from '../../base/error';
import { runConfigSchema } from '../../run/config/config';
import { embeddedModels } from '../../run/config/model-config';
import { presets } from '../../run/config/presets';
import { expandSweep, type SweepAxes } from '../../run/sweep/sweep';
import type { Fields } from '../../run/config/fields';
import { extrasFrom } from '../../share/link-extras';
import { planOf } from '../page/planned';
import { durationWords } from '../../run/estimate';
import type { Page } from '../page/page';
import { Tick } from '../ui/choices';
import { counted } from '../ui/numbers';
import { axisTexts, nameOn } from '../words/arms';
import { runWords } from '../words/run-words';
import { useFound } from '../ui/use-found';

type FormProps = Pick<Page, 'draft' | 'faults' | 'sweepFields' | 'session' | 'queue'>;

export function SweepForm({ draft, faults, sweepFields, session, queue }: FormProps) {
  const base = draft.value;
  let axes: SweepAxes = {};
  let fault: string | null = null;
  try {
    axes = extrasFrom(sweepFields.value).sweep;
  } catch (thrown) {
    if (!(thrown instanceof MarbleError)) throw thrown;
    fault = `${thrown.message} ${thrown.nextStep}`;
  }
  const arms = fault === null ? expandSweep(base, { ...axes, seed: undefined }) : [];
  const seeds = axes.seed?.length ?? 1;

  const seconds = useFound(async () => {
    const plans = await Promise.all(arms.map(({ config }) => planOf(session, config)));
    // Runs that differ only by their seed take equally long.
    return plans.reduce<number | null>(
      (sum, plan) => (sum === null || plan === null ? null : sum + seeds * plan.seconds),
      0,
    );
  }, [JSON.stringify([arms, seeds]), session.wish.value, session.activity.value === 'idle']); // no plan while a run trains
  /** Values to tick. Models of other stories are omitted, since they do not know the words. */
  const options: { [Axis in keyof SweepAxes]?: readonly string[] } = {
    model: embeddedModels.filter((name) => presets[name].data.source === base.data.source),
    reward: runConfigSchema.entries.reward.entries.preset.options,
    algorithm: runConfigSchema.entries.algorithm.entries.name.options,
  };
  return (
    <section class="panel" aria-labelledby="new-sweep">
      <h2 id="new-sweep">A new sweep</h2>
      <p class="explain">
        All other settings are those of the form: <b>{runWords(base, 4)}</b>.
      </p>
      <form class="sweep-form" onSubmit={(event) => event.preventDefault()}>
        {(Object.keys(axisTexts) as (keyof SweepAxes)[]).map((axis) => (
          <AxisInput key={axis} axis={axis} options={options[axis]} fields={sweepFields} />
        ))}
      </form>
      <p role="status" class={fault === null ? '' : 'fault'}>
        {fault ??
          `${counted(seeds * arms.length, 'run')}: ${counted(arms.length, 'arm')} of ${counted(seeds, 'seed')}, ${
            seconds === null
              ? 'time not known yet.'
              : `at most about ${durationWords(seconds)} on this computer${queue.atOnce > 1 ? ' one after another' : ''}, evaluations included.`
          }`}
      </p>
      <div class="actions">
        <button
          class="primary"
          disabled={fault !== null || faults.value.size > 0 || session.activity.value !== 'idle'}
          onClick={() => void queue.begin(base, axes)}
        >
          Start the sweep
        </button>
        <span class="explain">
          It runs as long as this tab is open. After a reload it resumes where it stopped.
        </span>
      </div>
    </section>
  );
}

function AxisInput(props: {
  axis: keyof SweepAxes;
  /** Without them, values are typed. */
  options: readonly string[] | undefined;
  fields: Signal<Fields>;
}) {
  const { axis, options, fields } = props;
  const { label, explain } = axisTexts[axis];
  const field = `sweep.${axis}`;
  const text = fields.value.get(field) ?? '';
  const set = (next: string): void => {
    const changed = new Map(fields.value);
    if (next.trim() === '') changed.delete(field);
    else changed.set(field, next);
    fields.value = changed;
  };
  const explainId = `explain-${field}`;
  const ticked = text.split(',').filter((name) => name !== '');
  // A model that was ticked for other stories stays in the list, since it is part of the sweep until it is unticked.
  const shown = options && [...new Set([...options, ...ticked])];
  const Field = shown === undefined ? 'label' : 'fieldset';
  return (
    <Field class="field" aria-label={shown && label} aria-describedby={shown && explainId}>
      <span>{label}</span>
      {shown?.map((name) => (
        <Tick
          key={name}
          checked={ticked.includes(name)}
          onChange={() =>
            set(shown.filter((option) => ticked.includes(option) !== (option === name)).join(','))
          }
        >
          {nameOn(axis, name)}
        </Tick>
      )) ?? (
        // Updates on input rather than on change. A line that appears at a click would move the button below.
        <input
          type="text"
          maxLength={1000}
          value={text}
          aria-describedby={explainId}
          onInput={(event) => set(event.currentTarget.value)}
        />
      )}
      <small id={explainId}>{explain}</small>
    </Field>
  );
}
