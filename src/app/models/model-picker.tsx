/** Selects the model of a run: embedded, a listed one of the Hub, any repository, or local files. */
import { useSignal, type Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { MarbleError } from '../../base/error';
import { type RunConfig } from '../../run/config/config';
import {
  embeddedModels,
  isEmbedded,
  type EmbeddedModel,
  type ModelChoice,
} from '../../run/config/model-config';
import { firstRunOf, presets } from '../../run/config/presets';
import { checkRunConfig } from '../../run/config/check-config';
import { adapterPlaceOf } from '../../run/config/saved-adapter';
import { modelName } from '../../share/name';
import type { Faults } from '../page/form-store';
import type { Session } from '../session/session';
import { Options } from '../ui/choices';
import { ChooseFiles } from '../ui/files';
import { realModelOf, realModels } from '../words/real-models';
import { exactSize } from '../words/sizes';

type Origin = EmbeddedModel | (typeof realModels)[number]['preset'] | 'hub' | 'files';

const elsewhere = { hub: 'From the Hub …', files: 'From files …' } as const;

/** Fault shown until a model of this origin is named. */
const unchosen = {
  hub: 'Choose a model of the Hub.',
  files: 'Choose the model’s folder.',
} as const;

export interface ChosenFiles {
  /** Name of the model: the folder's name, else that of the weights file. */
  name: string;
  files: Record<string, File>;
}

/** Weights of a model that comes as several files. */
const weights = /\.safetensors$/;
/** A file that holds the whole model. */
const whole = /\.gguf$/;

/**
 * Checks that the files form a model, and names it.
 *
 * @throws MarbleError `app/no-model` if a required file is missing
 */
export function chosenFiles(list: readonly File[]): ChosenFiles {
  const files = Object.fromEntries(list.map((file) => [file.webkitRelativePath || file.name, file]));
  const names = Object.keys(files);
  const lacking = [
    [/(^|\/)config\.json$/, 'config.json'],
    [/(^|\/)tokenizer\.json$/, 'tokenizer.json'],
    [weights, 'the weights (.safetensors)'],
  ] as const;
  const isWhole = names.some((name) => whole.test(name)) && !names.some((name) => weights.test(name));
  const [first] = isWhole ? [] : lacking.filter(([pattern]) => !names.some((name) => pattern.test(name)));
  if (first !== undefined) {
    throw new MarbleError(
      'app/no-model',
      `${names.length === 1 ? names[0] : `The ${names.length} files`} ${names.length === 1 ? 'does' : 'do'} not include ${first[1]}.`,
      names.some((name) => name.endsWith('.zip'))
        ? 'Unpack the zip, and choose the folder that comes out of it.'
        : 'Choose config.json, tokenizer.json, tokenizer_config.json and the safetensors weights together, their folder, or a GGUF file.',
    );
  }
  const [path] = names;
  const own = names.find((name) => weights.test(name)) ?? names.find((name) => whole.test(name))!;
  const name = path.includes('/') ? path.slice(0, path.indexOf('/')) : own;
  return { name: name.replaceAll(/[^\w.-]/g, '-').slice(0, 96), files };
}

/** Option of a model. An embedded model that the page no longer ships matches no option. */
function originOf(model: ModelChoice): Origin {
  if (model.kind === 'embedded') return model.name as Origin;
  return realModelOf(model)?.preset ?? model.kind;
}

/** Preset of a model. An embedded model reads one world only; any other model has a first run. */
function homeOf(model: ModelChoice): RunConfig | undefined {
  if (model.kind !== 'embedded') return firstRunOf(model);
  return isEmbedded(model.name) ? presets[model.name] : undefined;
}

/** Sets or clears the model's fault. Without it, a run would train the previous model until the new one is named. */
export function withModelFault(faults: Faults, fault: string | null): Faults {
  const next = new Map(faults);
  next.delete('model');
  return fault === null ? next : next.set('model', fault);
}

const hasSameAdapter = (one: RunConfig, other: RunConfig): boolean =>
  JSON.stringify(adapterPlaceOf(one)) === JSON.stringify(adapterPlaceOf(other));

/**
 * Returns the settings with another model. Keeps the other settings if the new model reads the same source and fits
 * their shipped adapter; otherwise takes the settings of the new model's preset.
 */
export function withModel(config: RunConfig, model: ModelChoice): RunConfig {
  const home = homeOf(model)!; // only models with a preset can be chosen
  const former = homeOf(config.model);
  const isAnother = home.preset !== former?.preset;
  // A warm start and an adapter belong to the model of a first run.
  const isFirstRun = config.preset === former?.preset;
  const keepsAdapter = adapterPlaceOf(config)?.kind !== 'ships' || hasSameAdapter(config, home);
  const fits = former?.data.source === home.data.source && (!isAnother || (!isFirstRun && keepsAdapter));
  const rest = fits ? config : home;
  return checkRunConfig({ ...rest, seed: config.seed, model });
}

/** The draft, its faults, and the origin that was chosen while its model is not named yet. */
export interface ModelForm {
  draft: Signal<RunConfig>;
  faults: Signal<Faults>;
  pending: Signal<Origin | null>;
}

/** Option that is shown. A pending origin shows until its model is taken or a preset clears the fault. */
const shownOrigin = ({ draft, faults, pending }: ModelForm): Origin =>
  (faults.value.has('model') ? pending.value : null) ?? originOf(draft.value.model);

/** Takes a model into the draft. An invalid model sets the model's fault. Settings that it replaces lose their faults. */
function takeModel({ draft, faults }: Pick<ModelForm, 'draft' | 'faults'>, next: () => ModelChoice): void {
  try {
    const { preset } = draft.value;
    draft.value = withModel(draft.value, next());
    faults.value = draft.value.preset === preset ? withModelFault(faults.value, null) : new Map();
  } catch (thrown) {
    if (!(thrown instanceof MarbleError)) throw thrown;
    faults.value = withModelFault(faults.value, `${thrown.message} ${thrown.nextStep}`);
  }
}

export function takeFiles(
  form: Pick<ModelForm, 'draft' | 'faults'>,
  session: Pick<Session, 'chooseFiles'>,
  list: readonly File[],
): void {
  takeModel(form, () => {
    const { name, files } = chosenFiles(list);
    void session.chooseFiles(files);
    return { kind: 'files', name };
  });
}

/** Blocks the start until a model of this origin is named. */
export function awaitModel({ faults, pending }: ModelForm, origin: keyof typeof unchosen): void {
  pending.value = origin;
  faults.value = withModelFault(faults.value, unchosen[origin]);
}

export function ModelSelect({ id, form }: { id: string; form: ModelForm }) {
  const here = shownOrigin(form);
  const choose = (origin: Origin): void => {
    if (isEmbedded(origin)) takeModel(form, () => ({ kind: 'embedded', name: origin }));
    else if (origin in elsewhere) awaitModel(form, origin as keyof typeof elsewhere);
    else takeModel(form, () => presets[origin].model);
  };
  return (
    <select id={id} value={here} onChange={({ currentTarget }) => choose(currentTarget.value as Origin)}>
      <optgroup label="Toys">
        <Options names={Object.fromEntries(embeddedModels.map((name) => [name, exactSize(name)]))} />
      </optgroup>
      <optgroup label="Real models">
        <Options names={Object.fromEntries(realModels.map(({ preset, name }) => [preset, name]))} />
      </optgroup>
      <optgroup label="Your choice">
        <Options names={elsewhere} />
      </optgroup>
    </select>
  );
}

/** Inputs that name a model from elsewhere. Renders nothing for the models that the page lists. */
export function ModelDetails({ form, session }: { form: ModelForm; session: Session }) {
  const { model } = form.draft.value;
  const here = shownOrigin(form);
  const choose = (list: readonly File[]): void => takeFiles(form, session, list);
  if (!(here in elsewhere)) return null;
  return (
    <fieldset class="model-picker row" onDrop={(event) => choose([...(event.dataTransfer?.files ?? [])])}>
      <legend class="visually-hidden">The model</legend>
      {here === 'hub' ? <HubModel form={form} session={session} /> : null}
      {here === 'files' ? <ChooseModelFiles onFiles={choose} /> : null}
      <small role="status">{form.faults.value.has('model') ? '' : explanation(model)}</small>
    </fieldset>
  );
}

export function ChooseModelFiles({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  return (
    <>
      <ChooseFiles isFolder words="Choose the model’s folder …" onFiles={onFiles} />
      <ChooseFiles
        words="Choose the model’s files …"
        accept=".json,.jinja,.safetensors,.gguf"
        onFiles={onFiles}
      />
    </>
  );
}

function explanation(model: ModelChoice): string {
  return model.kind === 'files'
    ? `${model.name}. The files stay where they are: a link to this run asks its reader for them.`
    : `${modelName(model)}. Nothing is fetched before you agree to its size.`;
}

function HubModel({ form, session }: { form: ModelForm; session: Session }) {
  const { model } = form.draft.value;
  const repository = useSignal(model.kind === 'hub' ? model.repository : 'Qwen/Qwen2.5-0.5B-Instruct');
  const revision = useSignal(model.kind === 'hub' ? model.revision : 'main');
  useEffect(() => {
    // Another run or preset may bring another model.
    if (model.kind === 'hub') [repository.value, revision.value] = [model.repository, model.revision];
  }, [modelName(model)]);
  const looksUp = !/^[0-9a-f]{40}$/.test(revision.value);
  const use = async (): Promise<void> => {
    const commit = looksUp ? await session.findCommit(repository.value, revision.value) : revision.value;
    if (commit === null) return;
    revision.value = commit;
    takeModel(form, () => ({ kind: 'hub', repository: repository.value, revision: commit }));
  };
  return (
    <>
      <TextInput label="Repository, or repository:file.gguf" text={repository} />
      <TextInput label="Branch, tag or commit" text={revision} />
      <button onClick={() => void use()}>
        {looksUp ? 'Look up its commit and use it' : 'Use this model'}
      </button>
    </>
  );
}

function TextInput({ label, text }: { label: string; text: Signal<string> }) {
  return (
    <label>
      {label}
      <input
        type="text"
        spellcheck={false}
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value.trim())}
      />
    </label>
  );
}
