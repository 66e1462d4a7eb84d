/** All settings except those of the start panel's row, in groups. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { BackendWish } from '../../../workers/protocol';
import { fieldsOf } from '../../run/config/fields';
import { formFieldsOf } from '../../run/config/check-config';
import { presetOf } from '../../run/config/presets';
import type { Session } from '../session/session';
import { Doc } from '../words/doc-link';
import { isOfModel } from '../words/run-words';
import { Options } from '../ui/choices';
import { changedFields, setField, type Form } from './form';
import { advancedGroups, groupStart, rowPaths, settingGroups } from './groups';

type FormField = ReturnType<typeof formFieldsOf>[number];

export function AllSettings({ form, session }: { form: Form; session: Session }) {
  const changed = [...changedFields(form.draft.value).keys()].filter(
    (path) => !rowPaths.includes(path) && !isOfModel(path),
  );
  return (
    <details class="panel settings">
      <summary>
        All settings <small>{changed.length === 0 ? '' : `${changed.length} not as in the experiment`}</small>
      </summary>
      <SettingsForm form={form} session={session} />
    </details>
  );
}

function SettingsForm({ form, session }: { form: Form; session: Session }) {
  const { draft, faults } = form;
  const texts = fieldsOf(draft.value);
  const preset = presetOf(draft.value);
  const presetTexts = preset && fieldsOf(preset);
  const offered = formFieldsOf(draft.value).filter(
    ({ path, optional }) => !rowPaths.includes(path) && (texts.has(path) || optional),
  );
  const advanced = offered.filter(({ path }) => !settingGroups.some(({ paths }) => paths.includes(path)));
  const input = (field: FormField) => (
    <FieldInput
      key={`${draft.value.preset} ${field.path}`}
      {...{ form, field }}
      text={texts.get(field.path) ?? ''}
      inPreset={presetTexts && (presetTexts.get(field.path) ?? '')}
    />
  );
  return (
    <form onSubmit={(event) => event.preventDefault()}>
      <p>
        <Doc name="settings">What each setting does</Doc>
      </p>
      {settingGroups.map(({ title, paths }) => (
        <fieldset key={title} class="field-group framed stack">
          <legend>{title}</legend>
          {paths.flatMap((path) => offered.filter((field) => field.path === path)).map(input)}
        </fieldset>
      ))}
      <fieldset class="field-group framed stack">
        <legend>Computer</legend>
        <BackendChoice session={session} />
      </fieldset>
      <details class="advanced">
        <summary>
          Advanced
          <small>
            {' '}
            {advanced.length} more fields
            {advanced.some(({ path }) => faults.value.has(path)) ? ', one not valid' : ''}
          </small>
        </summary>
        {advancedGroups.map(({ title, start }) => (
          <fieldset key={title} class="advanced-fields">
            <legend>{title}</legend>
            {advanced.filter(({ path }) => groupStart(path) === start).map(input)}
          </fieldset>
        ))}
      </details>
    </form>
  );
}

const backendWords: Record<BackendWish, string> = {
  automatic: 'Automatic',
  webgpu: 'GPU (WebGPU)',
  wasm: 'CPU (WebAssembly)',
};

function BackendChoice({ session }: { session: Session }) {
  const capabilities = session.capabilities.value;
  return (
    <label class="field">
      Runs on
      <select
        class="small"
        value={session.wish.value}
        onChange={(event) => (session.wish.value = event.currentTarget.value as BackendWish)}
      >
        <Options names={backendWords} />
      </select>
      <small>
        {capabilities === null
          ? 'Looking at what this browser offers …'
          : capabilities.adapter === null
            ? 'This browser offers no WebGPU, so the run uses the CPU.'
            : `This browser offers WebGPU on ${capabilities.adapter}. Automatic takes the CPU for models below a million weights.`}
      </small>
    </label>
  );
}

/** `0 to 1`, `1 to 8192 tokens`; empty for a seed, whose range is of no interest. */
function rangeWords({ range, unit, path }: FormField): string {
  if (range === null || /seed$/.test(path)) return '';
  return `${range[0]} to ${range[1]}${unit === undefined ? '' : ` ${unit}`}`;
}

/** Text box or list of one setting. Shows a typed text until it is accepted. */
export function FieldControl(props: {
  form: Form;
  field: FormField;
  id: string;
  /** ID of its explanation. */
  explainId?: string;
}) {
  const { form, field, id, explainId } = props;
  const text = fieldsOf(form.draft.value).get(field.path) ?? '';
  const isFaulty = form.faults.value.has(field.path);
  const typed = useSignal<string | null>(null);
  useEffect(() => {
    if (!isFaulty) typed.value = null; // accepted, or a preset or a run has replaced the settings
  }, [isFaulty, text]);
  const take = (next: string): void => {
    typed.value = setField(form, field.path, next) ? null : next;
  };
  const { names } = field;
  if (names === undefined)
    return (
      <input
        id={id}
        type="text"
        inputMode={field.range === null ? 'text' : 'decimal'}
        value={typed.value ?? text}
        aria-describedby={explainId}
        aria-invalid={isFaulty}
        onInput={(event) => (typed.value = event.currentTarget.value)}
        onChange={(event) => take(event.currentTarget.value)}
      />
    );
  return (
    <select
      id={id}
      class="small"
      value={(text || field.empty) ?? ''}
      aria-describedby={explainId}
      onChange={({ currentTarget: chosen }) => take(chosen.value === field.empty ? '' : chosen.value)}
    >
      {field.optional && field.empty === undefined ? <option value="">{ownWords}</option> : null}
      {text === '' || Object.hasOwn(names, text) ? null : <option value={text}>{text}</option>}
      <Options names={names} />
    </select>
  );
}

const ownWords = 'the algorithm’s own';

/** One setting: its control, the preset's value if it differs, and its allowed values. */
function FieldInput(props: {
  form: Form;
  field: FormField;
  text: string;
  /** Its text in the preset; empty if the preset omits it; null without a known preset. */
  inPreset: string | null;
}) {
  const { form, field, text, inPreset } = props;
  const fault = form.faults.value.get(field.path) ?? null;
  const id = `field-${field.path}`;
  const explainId = `explain-${field.path}`;
  const differs = inPreset !== null && (text !== inPreset || fault !== null);
  const { names } = field;
  const absent = names === undefined ? 'empty' : ownWords;
  const empty = !field.empty || names !== undefined ? '' : ` Empty: ${field.empty}.`;
  const inWords = names?.[(inPreset || field.empty) ?? ''] ?? (inPreset === '' ? absent : inPreset);
  return (
    <div class="field">
      <label for={id}>{field.label}</label>
      <FieldControl {...{ form, field, id, explainId }} />
      <small id={explainId} class={fault === null ? '' : 'fault'}>
        {fault ?? `${empty} ${rangeWords(field)}`}
        {differs ? <b> changed from {inWords}</b> : null}
      </small>
    </div>
  );
}
