/** Form row of the next run: model, task, reward, algorithm and steps, with the button that starts it. */
import type { Ref } from 'preact';
import { useEffect } from 'preact/hooks';
import type { PlannedRun } from '../../../workers/protocol';
import { formFieldsOf } from '../../run/config/check-config';
import { sameConfig } from '../../run/config/fields';
import { importedId } from '../../run/config/imported';
import { durationWords } from '../../run/estimate';
import { contactsOf } from '../../share/contacts';
import { trainedOn, withStories } from '../data/chosen-data';
import { awaitModel, ModelDetails, ModelSelect } from '../models/model-picker';
import { hidesEnding } from '../page/hiding';
import type { Page } from '../page/page';
import { planWords } from '../page/planned';
import { changedFields, choosePreset, namesOf } from '../settings/form';
import { FieldControl } from '../settings/settings';
import { advantageWords } from '../update/stages';
import { Options } from '../ui/choices';
import { paysWords } from '../words/paying';
import { presetDescriptions, presetNames } from '../words/preset-words';
import { workWords } from '../words/run-words';

type StartPanelProps = Pick<
  Page,
  'session' | 'places' | 'library' | 'draft' | 'faults' | 'classroom' | 'seat' | 'lesson'
> & {
  planned: PlannedRun | null;
  /** A run is shown, and the form holds the settings of the next one. */
  isOn: boolean;
  isPrimary: boolean;
  train: Ref<HTMLButtonElement>;
};

export function StartPanel(props: StartPanelProps) {
  const { session, places, planned, draft, seat, isPrimary, train } = props;
  const isFixed = props.lesson.value;
  const [fault] = props.faults.value.values();
  const bar = props.classroom.value !== null && seat.value === null ? 'First type your number above.' : '';
  const isBarred = session.activity.value !== 'idle' || fault !== undefined || bar !== '';
  const place = places.place.value;
  useEffect(() => {
    if (place.name === 'run' && place.tab === 'model') awaitModel(props, 'files');
  }, [place]);
  return (
    <div class="start stack">
      <div class="run-row row">
        {isFixed ? null : <Knobs {...props} />}
        <button
          ref={train}
          class={isPrimary ? 'primary' : ''}
          disabled={isBarred}
          onClick={() => void session.start(draft.value)}
        >
          Train{planned?.refusal === null ? `, about ${durationWords(planned.seconds)}` : ''}
        </button>
      </div>
      {isFixed ? null : <ModelDetails form={props} session={session} />}
      <p role="status" class={fault === undefined ? '' : 'fault'}>
        {fault?.message ?? bar}
      </p>
      {/* While a model is yet to be chosen, the settings are those of the one before it. */}
      {[...props.faults.value.keys()].some((path) => path.startsWith('model.')) ? null : <About {...props} />}
    </div>
  );
}

const knobs = [
  ['Paid for', 'reward.preset'],
  ['Algorithm', 'algorithm.name'],
  ['Steps', 'steps'],
] as const;

function Knobs(form: StartPanelProps) {
  const fields = formFieldsOf(form.draft.value);
  const rows = [
    ['Model', 'knob-model', <ModelSelect id="knob-model" form={form} />],
    ['Task', 'knob-task', <TaskSelect {...form} />],
    ...knobs.map(([label, path]) => {
      const [id, field] = [`knob-${path}`, fields.find((one) => one.path === path)!];
      return [label, id, <FieldControl key={form.draft.value.preset} {...{ id, form, field }} />] as const;
    }),
  ] as const;
  return (
    <>
      {rows.map(([label, id, control]) => (
        <div key={id} class="knob">
          <label class="small" for={id}>
            {label}
          </label>
          {control}
        </div>
      ))}
    </>
  );
}

function TaskSelect({ draft, faults, library, places }: StartPanelProps) {
  const { source } = draft.value.data;
  useEffect(() => {
    // Without storage the list has no data sets: starting a run reports the error.
    if (library.sets.value === null) library.refresh().catch(() => undefined);
  }, [library]);
  const names = namesOf('data.source');
  const sets = (library.sets.value ?? []).filter(({ training }) => training !== 'forbidden');
  const own = new Map(sets.map((set) => [set.id, set]));
  const id = importedId(source);
  const choose = (chosen: string): void => {
    const set = own.get(chosen);
    faults.value = new Map([...faults.value].filter(([path]) => !path.startsWith('data.')));
    if (chosen === 'import') places.go({ name: 'data' });
    else draft.value = set === undefined ? withStories(draft.value, chosen) : trainedOn(draft.value, set);
  };
  return (
    <select id="knob-task" value={id ?? source} onChange={({ currentTarget }) => choose(currentTarget.value)}>
      {id === null && !Object.hasOwn(names, source) ? <option value={source}>{source}</option> : null}
      <optgroup label="Stories">
        <Options names={names} />
      </optgroup>
      <optgroup label="Own data">
        {id === null || own.has(id) ? null : <option value={id}>Your data</option>}
        <Options names={Object.fromEntries(sets.map((set) => [set.id, set.name]))} />
        <option value="import">Import …</option>
      </optgroup>
    </select>
  );
}

/** Reserves the space of the time and memory of a run. */
const usual = { seconds: 60, memory: 100e6 };

function About({ planned, isOn, ...form }: StartPanelProps) {
  const config = form.draft.value;
  const isFixed = form.lesson.value;
  const seat = form.seat.value?.config ?? null;
  const { preset, algorithm } = config;
  const refusal = planned?.refusal ?? null;
  const refused = refusal && `It does not fit here. ${refusal.message} ${refusal.nextStep} `;
  if (isOn) return refused && <p class="about facts">{refused}</p>;
  const isChanged = seat === null ? changedFields(config).size > 0 : !sameConfig(config, seat);
  const undo = (): void => {
    choosePreset(form, preset);
    if (seat !== null) form.draft.value = seat;
  };
  return (
    <div class="about facts">
      {hidesEnding(form) ? null : (
        <p>
          <b>{presetNames[preset] ?? preset}</b>
          {isChanged ? ', changed' : ''}. {presetDescriptions[preset]}{' '}
          {isChanged && !isFixed ? (
            <button class="inline" onClick={undo}>
              Undo the changes
            </button>
          ) : null}
        </p>
      )}
      {isFixed ? null : (
        <p>
          {paysWords(config)} {advantageWords(algorithm)}
        </p>
      )}
      <p>
        {workWords(config)}.{' '}
        {contactsOf(config).length > 0
          ? 'Marble downloads the model’s files after you agree.'
          : 'No download beyond this page, nothing leaves this browser.'}{' '}
        {globalThis.isSecureContext
          ? ''
          : 'This page was opened over plain http. Browsers then offer no GPU, and the page does not notice if another tab trains. Runs are kept. Train in one tab only. '}
        <span style={{ visibility: planned === null ? 'hidden' : 'visible' }}>
          {refused ?? `Takes ${planWords(planned ?? usual)}; less if answers are shorter.`}
        </span>
      </p>
    </div>
  );
}
