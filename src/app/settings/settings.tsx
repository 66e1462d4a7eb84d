/** The main settings as a form. It says when it no longer matches the run on show. */
import { useSignal } from '@preact/signals';
import { MarbleError } from '../../base/error';
import type { RunConfig } from '../../run/config/config';
import { presetOf, presets } from '../../run/config/presets';
import { differences, fieldsOf, recordFrom, sameConfig } from '../../run/config/fields';
import { checkRunConfig, formFields, formFieldsOf } from '../../run/config/check-config';
import { presetDescriptions } from '../words/preset-descriptions';
import { presetNames } from '../words/preset-names';
import { hidesEnding } from '../page/hiding';
import { Doc } from '../words/doc-link';
import { AdapterPicker, ModelPicker } from '../models/model-picker';
import type { Page } from '../page/page';
import {
  advancedGroups,
  choiceSentences,
  goesWith,
  groupStart,
  nearestStop,
  settingGroups,
  sliderStops,
  withChoice,
} from './groups';

const isOptional = (path: string): boolean =>
  formFields.some((field) => field.path === path && field.optional);
type FormField = ReturnType<typeof formFieldsOf>[number];

/** Before a run: folded away, since a preset is enough, unless a model is to be chosen. */
export function SettingsPanel({ page }: { page: Page }) {
  const place = page.places.place.value;
  return (
    <details class="panel settings" open={place.name === 'run' && place.tab === 'model'}>
      <summary>Settings</summary>
      <SettingsForm page={page} />
    </details>
  );
}

/** Beside a run: what the next one would have, with the button that trains it once they differ. */
export function SettingsOfRun({ page, running }: { page: Page; running: RunConfig }) {
  const { draft, faults, session } = page;
  const isChanged = !sameConfig(draft.value, running);
  const isIdle = session.activity.value === 'idle';
  return (
    <section class="panel settings" aria-labelledby="settings">
      <div class="panel-head">
        <h2 id="settings">
          Settings of the next run {isChanged ? <span class="badge">New changes</span> : null}
        </h2>
        {isChanged ? (
          <button
            type="button"
            class="primary"
            disabled={!isIdle || faults.value.size > 0}
            onClick={() => {
              void session.start(draft.value);
              scrollTo(0, 0);
            }}
          >
            {isIdle ? 'Train with these' : 'Train with these, when this run has ended'}
          </button>
        ) : null}
      </div>
      <SettingsForm page={page} />
    </section>
  );
}

function SettingsForm({ page }: { page: Page }) {
  const { draft, faults } = page;
  const presetsChosen = useSignal(0);
  const putBacks = useSignal(0);
  const texts = fieldsOf(draft.value);
  const preset = presetOf(draft.value);
  const presetTexts = preset === null ? new Map<string, string>() : fieldsOf(preset);
  const changed = preset === null ? new Map<string, string>() : differences(draft.value, preset);

  const offered = formFieldsOf(draft.value).filter(({ path }) => texts.has(path) || isOptional(path));

  const set = (path: string, text: string): boolean => {
    const next = new Map(faults.value);
    next.delete(path);
    try {
      const changedTexts = new Map([...fieldsOf(withChoice(draft.value, path, text)), [path, text.trim()]]);
      if (text.trim() === '' && isOptional(path)) {
        // A link holds what differs from the preset: what the preset has is not left out but stated.
        if (preset !== null && fieldsOf(preset).has(path))
          changedTexts.set(path, offered.find((field) => field.path === path)?.empty ?? '0');
        else changedTexts.delete(path);
      }
      draft.value = checkRunConfig(recordFrom(changedTexts));
    } catch (thrown) {
      if (!(thrown instanceof MarbleError)) throw thrown;
      next.set(path, thrown.message);
    }
    faults.value = next;
    return !next.has(path);
  };

  const putBack = (path: string): void => {
    const others = [...texts].filter(([other]) => !goesWith(other, path));
    const before = [...presetTexts].filter(([other]) => goesWith(other, path));
    draft.value = checkRunConfig(recordFrom(new Map([...others, ...before])));
    faults.value = new Map([...faults.value].filter(([faulty]) => !goesWith(faulty, path)));
    // The inputs take their texts anew.
    putBacks.value += 1;
  };

  const advanced = offered.filter(({ path }) => !settingGroups.some(({ paths }) => paths.includes(path)));
  const changedAdvanced = advanced.filter(({ path }) => changed.has(path)).length;
  const input = (field: FormField) => (
    <FieldInput
      key={`${draft.value.preset} ${field.path} ${putBacks.value}`}
      field={field}
      text={texts.get(field.path) ?? ''}
      fault={faults.value.get(field.path) ?? null}
      inPreset={preset === null ? null : (presetTexts.get(field.path) ?? '')}
      onText={(text) => set(field.path, text)}
      onPutBack={() => putBack(field.path)}
    />
  );

  return (
    <form onSubmit={(event) => event.preventDefault()}>
      <p>
        <Doc name="settings">What each setting does</Doc>
      </p>
      {hidesEnding(page) ? null : (
        <label class="field">
          <span>Preset</span>
          <select
            value={draft.value.preset}
            onChange={(event) => {
              draft.value = presets[event.currentTarget.value];
              faults.value = new Map();
              // What was half chosen of a model goes with the old preset.
              presetsChosen.value += 1;
            }}
          >
            {Object.keys(presets).map((name) => (
              <option key={name} value={name}>
                {presetNames[name]}
              </option>
            ))}
          </select>
          <small>
            {presetDescriptions[draft.value.preset] ?? 'Where the settings start from.'}{' '}
            <code>{draft.value.preset}</code>
          </small>
        </label>
      )}
      {settingGroups.map(({ title, paths }) => (
        <fieldset key={title} class="field-group stack">
          <legend>{title}</legend>
          {title === 'Model and data' ? (
            <>
              <ModelPicker key={presetsChosen.value} page={page} />
              {draft.value.training.mode === 'lora' ? (
                <AdapterPicker page={page} training={draft.value.training} />
              ) : null}
            </>
          ) : null}
          {paths.flatMap((path) => offered.filter((field) => field.path === path)).map(input)}
        </fieldset>
      ))}
      <details class="advanced">
        <summary>
          Advanced
          <small>
            {' '}
            {advanced.length} more fields
            {changedAdvanced === 0 ? '' : `, ${changedAdvanced} of them not as in the preset`}
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

/** `0 to 1`, `1 to 8192 tokens`; a seed's range says nothing to anybody. */
function rangeWords({ range, unit, path }: FormField): string {
  if (range === null || /seed$/.test(path)) return '';
  return `${range[0]} to ${range[1]}${unit === undefined ? '' : ` ${unit}`}`;
}

/** One setting: its box or its list, a slider where one chooses within a stretch, what it may be, and the way back to the preset. */
function FieldInput(props: {
  field: FormField;
  text: string;
  fault: string | null;
  /** Its text in the preset, empty where that has none; null for settings of no known preset. */
  inPreset: string | null;
  /** @returns whether the text was taken */
  onText: (text: string) => boolean;
  onPutBack: () => void;
}) {
  const { field, text, fault, inPreset, onText, onPutBack } = props;
  /** What stands in the box until it is taken. */
  const typed = useSignal<string | null>(null);
  const id = `field-${field.path}`;
  const explainId = `explain-${field.path}`;
  const differs = inPreset !== null && (text !== inPreset || fault !== null);
  const range = rangeWords(field);
  const { names } = field;
  const ownWords = names === undefined ? 'empty' : 'the algorithm’s own';
  const empty = !field.empty || names !== undefined ? '' : ` Empty: ${field.empty}.`;
  const inWords = names?.[(inPreset || field.empty) ?? ''] ?? (inPreset === '' ? ownWords : inPreset);
  const stops = sliderStops[field.path];
  const value = Number(text === '' ? (field.empty ?? 0) : text);
  const unit = field.unit === undefined ? '' : ` ${field.unit}`;
  const take = (next: string): void => {
    typed.value = onText(next) ? null : next;
  };
  return (
    <div class={`field ${differs ? 'differs' : ''}`}>
      <label for={id}>{field.label}</label>
      {names === undefined ? (
        <div class={stops === undefined ? 'box stack' : 'box stack has-slider'}>
          <input
            id={id}
            type="text"
            inputMode={field.range === null ? 'text' : 'decimal'}
            value={typed.value ?? text}
            aria-describedby={explainId}
            aria-invalid={fault !== null}
            onInput={(event) => (typed.value = event.currentTarget.value)}
            onChange={(event) => take(event.currentTarget.value)}
          />
          {stops === undefined ? null : (
            // A value between two stops stays what it is until the slider is moved.
            <input
              type="range"
              aria-label={`Slider of ${field.label.toLowerCase()}`}
              aria-valuetext={text === '' ? 'empty' : `${value}${unit}`}
              min="0"
              max={stops.length - 1}
              value={nearestStop(stops, value)}
              onInput={(event) => take(String(stops[event.currentTarget.valueAsNumber]))}
            />
          )}
        </div>
      ) : (
        <select
          id={id}
          value={(text || field.empty) ?? ''}
          aria-describedby={explainId}
          onChange={({ currentTarget: chosen }) => onText(chosen.value === field.empty ? '' : chosen.value)}
        >
          {field.optional && field.empty === undefined ? <option value="">{ownWords}</option> : null}
          {text === '' || Object.hasOwn(names, text) ? null : <option value={text}>{text}</option>}
          {Object.entries(names).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
      <small id={explainId} class={fault === null ? '' : 'fault'}>
        {fault ?? `${choiceSentences[field.path]?.[text] ?? ''}${empty}`}
        {range === '' || fault !== null ? null : <span class="range"> {range}</span>}
      </small>
      {differs ? (
        <button type="button" class="put-back" onClick={onPutBack}>
          Back to {inWords}
          <span class="visually-hidden">: {field.label} as in the preset</span>
        </button>
      ) : null}
    </div>
  );
}
