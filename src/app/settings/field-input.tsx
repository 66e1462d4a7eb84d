/** One setting: its box or its list, a slider where one chooses within a stretch, what it may be, and the way back to the preset. */
import { useSignal } from '@preact/signals';
import type { FormField } from '../../run/config/check-config';
import { choiceSentences, nearestStop, sliderStops } from './groups';

/** `0 to 1`, `1 to 8192 tokens`; a seed's range says nothing to anybody. */
function rangeWords({ range, unit, path }: FormField): string {
  if (range === null || path === 'seed') return '';
  return `${range[0]} to ${range[1]}${unit === undefined ? '' : ` ${unit}`}`;
}

export function FieldInput(props: {
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
  const empty = field.empty === undefined ? '' : ` Empty: ${field.empty}.`;
  const inWords = inPreset === '' ? 'empty' : (field.names?.[inPreset ?? ''] ?? inPreset);
  const stops = sliderStops[field.path];
  const take = (next: string): void => {
    typed.value = onText(next) ? null : next;
  };
  return (
    <div class={`field ${differs ? 'differs' : ''}`}>
      <label for={id}>{field.label}</label>
      {field.names === undefined ? (
        <div class={stops === undefined ? 'box' : 'box has-slider'}>
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
            <Slider
              label={field.label}
              stops={stops}
              value={Number(text === '' ? (field.empty ?? 0) : text)}
              isEmpty={text === ''}
              unit={field.unit}
              onValue={(value) => take(String(value))}
            />
          )}
        </div>
      ) : (
        <select
          id={id}
          value={text}
          aria-describedby={explainId}
          onChange={(event) => onText(event.currentTarget.value)}
        >
          {Object.entries(field.names).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
      <small id={explainId} class={fault === null ? '' : 'fault'}>
        {fault ?? `${choiceSentences[field.path]?.[text] ?? field.explain}${empty}`}
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

/** Moves between the stops; a value between two of them stays what it is until the slider is moved. */
function Slider(props: {
  label: string;
  stops: readonly number[];
  value: number;
  isEmpty: boolean;
  unit: string | undefined;
  onValue: (value: number) => void;
}) {
  const { label, stops, value, isEmpty, unit, onValue } = props;
  return (
    <input
      type="range"
      aria-label={`Slider of ${label.toLowerCase()}`}
      aria-valuetext={isEmpty ? 'empty' : `${value}${unit === undefined ? '' : ` ${unit}`}`}
      min="0"
      max={stops.length - 1}
      value={nearestStop(stops, value)}
      onInput={(event) => onValue(stops[event.currentTarget.valueAsNumber])}
    />
  );
}
