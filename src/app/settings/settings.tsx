/** All settings except those of the start panel's row, in groups. */
import { useEffect, useRef } from 'preact/hooks';
import type { BackendWish } from '../../../workers/protocol';
import { fieldsOf } from '../../run/config/fields';
import { formFieldsOf } from '../../run/config/check-config';
import { presetOf } from '../../run/config/presets';
import type { Session } from '../session/session';
import { Doc } from '../words/doc-link';
import { Options } from '../ui/choices';
import { setField, type Form } from './form';
import { advancedGroups, groupOf, rowPaths, settingGroups } from './groups';

type FormField = ReturnType<typeof formFieldsOf>[number];

export function AllSettings({ form, session }: { form: Form; session: Session }) {
  const { draft, faults } = form;
  const config = draft.value;
  const texts = fieldsOf(config);
  const offered = formFieldsOf(config).filter(
    ({ path, optional }) => !rowPaths.includes(path) && (texts.has(path) || optional),
  );
  const fieldsIn = (look: string) => (group: string) => (
    <fieldset key={group} class={look}>
      <legend>{group}</legend>
      {offered
        .filter(({ path }) => groupOf(path) === group)
        .map((field) => (
          <FieldInput key={`${config.preset} ${field.path}`} {...{ form, field }} />
        ))}
    </fieldset>
  );
  const isFaulty = offered.some(
    ({ path }) => faults.value.has(path) && advancedGroups.includes(groupOf(path)),
  );
  return (
    <details class="panel settings">
      <summary>All settings</summary>
      <form onSubmit={(event) => event.preventDefault()}>
        <p>
          <Doc name="settings">What each setting does</Doc>
        </p>
        {settingGroups.map(fieldsIn('field-group framed stack'))}
        <fieldset class="field-group framed stack">
          <legend>Computer</legend>
          <BackendChoice session={session} />
        </fieldset>
        <details class="advanced">
          <summary>
            Advanced <small>{isFaulty ? 'one field is not valid' : ''}</small>
          </summary>
          {advancedGroups.map(fieldsIn('advanced-fields'))}
        </details>
      </form>
    </details>
  );
}

export const backendNames: Record<BackendWish, string> = {
  automatic: 'Automatic',
  webgpu: 'GPU (WebGPU)',
  wasm: 'CPU (WebAssembly)',
};

function BackendChoice({ session }: { session: Session }) {
  const adapter = session.capabilities.value?.adapter;
  return (
    <label class="field">
      Runs on
      <select
        class="small"
        value={session.wish.value}
        onChange={(event) => (session.wish.value = event.currentTarget.value as BackendWish)}
      >
        <Options names={backendNames} />
      </select>
      <small>
        {adapter === undefined
          ? 'Looking at what this browser offers …'
          : adapter === null
            ? 'This browser offers no WebGPU, so the run uses the CPU.'
            : `This browser offers WebGPU on ${adapter}. Automatic takes the CPU for models below a million weights.`}
      </small>
    </label>
  );
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
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // Accepted, or a preset or a run has replaced the settings.
    if (!isFaulty && input.current !== null) input.current.value = text;
  }, [isFaulty, text]);
  const { names } = field;
  if (names === undefined)
    return (
      <input
        id={id}
        ref={input}
        type="text"
        maxLength={10_000}
        inputMode={field.range === null ? 'text' : 'decimal'}
        defaultValue={text}
        aria-describedby={explainId}
        aria-invalid={isFaulty}
        onChange={({ currentTarget: box }) => setField(form, field.path, box.value)}
      />
    );
  return (
    <select
      id={id}
      class="small"
      value={(text || field.empty) ?? ''}
      aria-describedby={explainId}
      onChange={({ currentTarget: { value } }) =>
        setField(form, field.path, value === field.empty ? '' : value)
      }
    >
      {field.optional && field.empty === undefined ? <option value="">{ownWords}</option> : null}
      {text === '' || Object.hasOwn(names, text) ? null : <option value={text}>{text}</option>}
      <Options names={names} />
    </select>
  );
}

const ownWords = 'the algorithm’s own';

/** One setting: its control, the preset's value if it differs, and its allowed values. */
function FieldInput({ form, field }: { form: Form; field: FormField }) {
  const { path, names, range, unit = '' } = field;
  const config = form.draft.value;
  const fault = form.faults.value.get(path)?.message ?? null;
  const preset = presetOf(config);
  const usual = preset && (fieldsOf(preset).get(path) ?? '');
  const isChanged = usual !== null && (usual !== (fieldsOf(config).get(path) ?? '') || fault !== null);
  const usualWords = names?.[(usual || field.empty) ?? ''] ?? (usual || (names ? ownWords : 'empty'));
  const id = `field-${path}`;
  const explainId = `explain-${path}`;
  return (
    <div class="field">
      <label for={id}>{field.label}</label>
      <FieldControl {...{ form, field, id, explainId }} />
      <small id={explainId} class={fault === null ? '' : 'fault'}>
        {fault ?? (
          <>
            {field.empty && !names ? `Empty: ${field.empty}. ` : ''}
            {/* The range of a seed is of no interest. */}
            {range && !path.endsWith('seed') ? `${range[0]} to ${range[1]} ${unit}` : ''}
          </>
        )}
        {isChanged ? <b> changed from {usualWords}</b> : null}
      </small>
    </div>
  );
}
