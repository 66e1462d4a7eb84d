/** The main settings as a form. It says when it no longer matches the run on show. */
import { useSignal, type Signal } from '@preact/signals';
import { MarbleError } from '../error';
import type { RunConfig } from '../run/config';
import { presets } from '../run/presets';
import { differences, fieldsOf, recordFrom } from '../share/fields';
import { checkRunConfig, configFields } from '../run/check-config';
import { swapDefaults, swapEventRange } from '../tom/swap';
import { sameConfig, type Faults } from './draft';
import { AdapterPicker } from './models/adapter-picker';
import { presetDescriptions, presetNames } from './preset-descriptions';
import { ModelPicker } from './models/model-picker';
import type { Session } from './session/session';

interface Field {
  path: string;
  label: string;
  explain: string;
  /** May be left empty: it then has no say. */
  optional?: true;
  /** What being left empty comes to; 0 where left out. */
  empty?: string;
  /** The one data source that it has a say on; all where left out. */
  source?: string;
  options?: readonly (readonly [value: string, label: string])[];
}

const fields: readonly Field[] = [
  {
    path: 'seed',
    label: 'Seed',
    explain: 'Fixes the questions and every draw. Another seed is another run.',
  },
  {
    path: 'steps',
    label: 'Steps',
    explain: 'One step samples answers, scores them and changes the model once.',
  },
  {
    path: 'algorithm.name',
    label: 'Algorithm',
    explain: 'How a reward becomes an advantage.',
    options: [
      ['reinforce++', 'REINFORCE++'],
      ['reinforce++-baseline', 'REINFORCE++ with baseline'],
      ['grpo', 'GRPO'],
      ['dr-grpo', 'Dr. GRPO'],
      ['dapo', 'DAPO'],
      ['rloo', 'RLOO'],
    ],
  },
  {
    path: 'reward.preset',
    label: 'Reward',
    explain: '“Faithful” pays for true reasoning; the others pay for the format and the answer only.',
    options: [
      ['tom-rl', 'ToM-RL: format and answer'],
      ['logic-rl', 'Logic-RL: format and answer'],
      ['rlvr-tom', 'RLVR-ToM: mostly the answer'],
      ['faithful', 'Faithful: true reasoning'],
      ['answer-only', 'Answer only'],
    ],
  },
  {
    path: 'reward.minimumThinkWords',
    label: 'Reasoning, at least',
    explain: 'In words: shorter reasoning loses up to 1. Empty: no such term.',
    optional: true,
  },
  {
    path: 'reward.targetThinkWords',
    label: 'Reasoning, about',
    explain: 'In words: reasoning loses up to 1, the further from it. Empty: no such term.',
    optional: true,
  },
  { path: 'optimizer.learningRate', label: 'Learning rate', explain: 'How far each step moves the model.' },
  {
    path: 'algorithm.kl.coefficient',
    label: 'KL penalty',
    explain: 'Holds the model near its start. 0 needs no reference model.',
  },
  {
    path: 'rollout.temperature',
    label: 'Temperature',
    explain: 'How freely it samples; 1 is as the model has it.',
  },
  { path: 'rollout.promptsPerStep', label: 'Prompts per step', explain: 'Different questions in one step.' },
  { path: 'rollout.samplesPerPrompt', label: 'Samples per prompt', explain: 'Answers to each question.' },
  {
    path: 'rollout.maxNewTokens',
    label: 'Longest completion',
    explain: 'Longer ones are cut off and earn the least.',
  },
  {
    path: 'data.dropShortcutRight',
    label: 'Shortcut items dropped',
    explain: 'Chance that a question which the shortcut answers rightly is left out: 0 keeps all, 1 none.',
  },
  {
    path: 'data.orders',
    label: 'Orders of belief',
    explain: '0: where is it; 1: where does A think it is; and so on, with commas.',
  },
  {
    path: 'data.rho',
    label: 'Stories with the artefact',
    explain: `Fraction in which nothing moves the object after the first event. Empty: ${swapDefaults.rho}.`,
    optional: true,
    empty: String(swapDefaults.rho),
    source: 'swap',
  },
  {
    path: 'data.events',
    label: 'Events in a story',
    explain: `${swapEventRange.least} to ${swapEventRange.most} swaps. Empty: ${swapDefaults.events}.`,
    optional: true,
    empty: String(swapDefaults.events),
    source: 'swap',
  },
  {
    path: 'data.trainItems',
    label: 'Training questions',
    explain: 'A fixed set, shuffled anew each time it is gone through. Empty: new ones without end.',
    optional: true,
  },
  {
    path: 'evaluation.validationItems',
    label: 'Validation questions',
    explain: 'The best checkpoint and early stopping go by these alone. Empty: by those that are reported.',
    optional: true,
  },
  {
    path: 'evaluation.finalItems',
    label: 'Questions of the verdict',
    explain:
      'Asked at step 0 and at the end; empty: as many as at the looks in between, which may be too few.',
    optional: true,
  },
  {
    path: 'evaluation.taskItems',
    label: 'Questions of each other task',
    explain: 'Evaluates on Hi-ToM, ToMi and ExploreToM besides. For models that read English; empty: none.',
    optional: true,
  },
  {
    path: 'evaluation.importedItems',
    label: 'Questions of each imported task',
    explain:
      'Drawn where it has more; empty: as many as of the run’s own. 6,000 takes ToM-RL’s test file whole.',
    optional: true,
  },
];

/** The model and its adapter have pickers of their own. */
const shownElsewhere = /^(model|training)\./;

const isOptional = (path: string): boolean => fields.some((field) => field.path === path && field.optional);
const emptyText = (path: string): string => fields.find((field) => field.path === path)?.empty ?? '0';

export function Settings(props: {
  draft: Signal<RunConfig>;
  faults: Signal<Faults>;
  running: RunConfig | null;
  session: Session;
}) {
  const { draft, faults, running, session } = props;
  const presetsChosen = useSignal(0);
  const texts = fieldsOf(draft.value);
  const preset = Object.hasOwn(presets, draft.value.preset) ? presets[draft.value.preset] : null;
  const changed = preset === null ? new Map<string, string>() : differences(draft.value, preset);

  const set = (path: string, text: string): void => {
    const next = new Map(faults.value);
    next.delete(path);
    try {
      const changedTexts = new Map([...texts, [path, text.trim()]]);
      if (text.trim() === '' && isOptional(path)) {
        // A link holds what differs from the preset: what the preset has is not left out but stated.
        if (preset !== null && fieldsOf(preset).has(path)) changedTexts.set(path, emptyText(path));
        else changedTexts.delete(path);
      }
      draft.value = checkRunConfig(recordFrom(changedTexts));
    } catch (thrown) {
      if (!(thrown instanceof MarbleError)) throw thrown;
      next.set(path, thrown.message);
    }
    faults.value = next;
  };

  const putBack = (paths: string[]): void => {
    if (preset === null) return;
    const before = fieldsOf(preset);
    const kept = [...texts].filter(([path]) => !paths.includes(path));
    const putBackTexts = paths.flatMap((path): [string, string][] => {
      const text = before.get(path);
      return text === undefined ? [] : [[path, text]];
    });
    draft.value = checkRunConfig(recordFrom(new Map([...kept, ...putBackTexts])));
  };

  return (
    <details class="panel settings">
      <summary>
        Settings
        {running !== null && !sameConfig(draft.value, running) ? (
          <span class="badge">New changes</span>
        ) : null}
      </summary>
      <form onSubmit={(event) => event.preventDefault()}>
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
                {presetNames[name]} ({name})
              </option>
            ))}
          </select>
          <small>{presetDescriptions[draft.value.preset] ?? 'Where the settings start from.'}</small>
        </label>
        <ModelPicker key={presetsChosen.value} draft={draft} faults={faults} session={session} />
        {draft.value.training.mode === 'lora' ? (
          <AdapterPicker draft={draft} training={draft.value.training} session={session} />
        ) : null}
        {fields
          .filter(({ source }) => source === undefined || source === draft.value.data.source)
          .filter(({ path }) => (texts.has(path) || isOptional(path)) && configFields.has(path))
          .map((field) => (
            <FieldInput
              key={`${draft.value.preset} ${field.path}`}
              field={field}
              text={texts.get(field.path) ?? ''}
              fault={faults.value.get(field.path) ?? null}
              differs={changed.has(field.path)}
              onText={(text) => set(field.path, text)}
            />
          ))}
      </form>
      <BesideTheForm changed={changed} onPutBack={putBack} />
    </details>
  );
}

/** What a link has set and the form has no field for: a setting that is not seen would still change the run. */
function BesideTheForm(props: {
  changed: ReadonlyMap<string, string>;
  onPutBack: (paths: string[]) => void;
}) {
  const beside = [...props.changed].filter(
    ([path]) => !shownElsewhere.test(path) && !fields.some((field) => field.path === path),
  );
  if (beside.length === 0) return null;
  return (
    <p class="explain">
      Also set by the link or the run that these settings come from:{' '}
      {beside.map(([path, value]) => `${path} ${value}`).join(', ')}.{' '}
      <button type="button" onClick={() => props.onPutBack(beside.map(([path]) => path))}>
        As in the preset
      </button>
    </p>
  );
}

function FieldInput(props: {
  field: Field;
  text: string;
  fault: string | null;
  differs: boolean;
  onText: (text: string) => void;
}) {
  const { field, text, fault, differs, onText } = props;
  const explainId = `explain-${field.path}`;
  return (
    <label class={`field ${differs ? 'differs' : ''}`}>
      <span>{field.label}</span>
      {field.options === undefined ? (
        <input
          type="text"
          inputMode={field.path === 'data.orders' ? 'text' : 'decimal'}
          defaultValue={text}
          aria-describedby={explainId}
          aria-invalid={fault !== null}
          onChange={(event) => onText(event.currentTarget.value)}
        />
      ) : (
        <select
          value={text}
          aria-describedby={explainId}
          onChange={(event) => onText(event.currentTarget.value)}
        >
          {field.options.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
      <small id={explainId} class={fault === null ? '' : 'fault'}>
        {fault ?? field.explain}
      </small>
    </label>
  );
}
