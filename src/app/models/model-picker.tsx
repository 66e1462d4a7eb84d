/** Selects the model of a run: embedded, a listed one of the Hub, any repository, or local files. */
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
import type { Faults, FormStore } from '../page/form-store';
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

/** Ends of the paths that a model of several files needs. */
const required = [
  ['/config.json', 'config.json'],
  ['/tokenizer.json', 'tokenizer.json'],
  ['.safetensors', 'the weights (.safetensors)'],
] as const;

/**
 * Checks that the files form a model, and names it by its GGUF file, else by its folder, else by its weights file.
 *
 * @throws MarbleError `app/no-model` if a required file is missing
 */
export function chosenFiles(list: readonly File[]) {
  const files = Object.fromEntries(list.map((file) => [file.webkitRelativePath || file.name, file]));
  const names = Object.keys(files);
  const [path] = names;
  const endingWith = (end: string) => names.find((name) => `/${name}`.endsWith(end));
  const weights = endingWith('.safetensors') ?? endingWith('.gguf') ?? path;
  const lacking = required.find(([end]) => endingWith(end) === undefined);
  if (lacking !== undefined && !weights.endsWith('.gguf')) {
    throw new MarbleError(
      'app/no-model',
      `The chosen files do not include ${lacking[1]}.`,
      'Choose the model’s unpacked folder, a GGUF file, or config.json, tokenizer.json, tokenizer_config.json and the safetensors weights together.',
    );
  }
  const isFolder = path.includes('/') && !weights.endsWith('.gguf');
  const name = isFolder ? path.slice(0, path.indexOf('/')) : weights.slice(weights.lastIndexOf('/') + 1);
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

const faultPath = (origin: Origin): string => `model.${origin}`;

const withoutModelFault = (faults: Faults) =>
  new Map([...faults].filter(([path]) => !path.startsWith('model.')));

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
  const adapter = adapterPlaceOf(config);
  const keepsAdapter =
    adapter?.kind !== 'ships' || JSON.stringify(adapter) === JSON.stringify(adapterPlaceOf(home));
  const fits = former?.data.source === home.data.source && (!isAnother || (!isFirstRun && keepsAdapter));
  const rest = fits ? config : home;
  return checkRunConfig({ ...rest, seed: config.seed, model });
}

type ModelForm = Pick<FormStore, 'draft' | 'faults'>;

/** Option that is shown: a place to choose from, until a model is named there or a preset clears the fault. */
const shownOrigin = ({ draft, faults }: ModelForm): Origin =>
  (['hub', 'files'] as const).find((origin) => faults.value.has(faultPath(origin))) ??
  originOf(draft.value.model);

/** Takes a model into the draft. An invalid model sets the model's fault. Settings that it replaces lose their faults. */
function takeModel({ draft, faults }: ModelForm, origin: Origin, next: () => ModelChoice): void {
  try {
    const { preset } = draft.value;
    draft.value = withModel(draft.value, next());
    faults.value = draft.value.preset === preset ? withoutModelFault(faults.value) : new Map();
  } catch (thrown) {
    if (!(thrown instanceof MarbleError)) throw thrown;
    const message = `${thrown.message} ${thrown.nextStep}`;
    faults.value = withoutModelFault(faults.value).set(faultPath(origin), { message });
  }
}

/** Blocks the start, which would train the previous model, until a model of this origin is named. */
export function awaitModel({ faults }: ModelForm, origin: keyof typeof unchosen): void {
  faults.value = withoutModelFault(faults.value).set(faultPath(origin), { message: unchosen[origin] });
}

export function ModelSelect({ id, form }: { id: string; form: ModelForm }) {
  const groups = {
    Toys: Object.fromEntries(embeddedModels.map((name) => [name, exactSize(name)])),
    'Real models': Object.fromEntries(realModels.map(({ preset, name }) => [preset, name])),
    'Your choice': elsewhere,
  };
  const choose = (origin: Origin): void => {
    if (origin === 'hub' || origin === 'files') awaitModel(form, origin);
    else takeModel(form, origin, () => presets[origin].model);
  };
  return (
    <select
      id={id}
      value={shownOrigin(form)}
      onChange={({ currentTarget }) => choose(currentTarget.value as Origin)}
    >
      {Object.entries(groups).map(([label, names]) => (
        <optgroup key={label} label={label}>
          <Options names={names} />
        </optgroup>
      ))}
    </select>
  );
}

/** Inputs that name a model from elsewhere. Renders nothing for the models that the page lists. */
export function ModelDetails({ form, session }: { form: ModelForm; session: Session }) {
  const { model } = form.draft.value;
  const here = shownOrigin(form);
  const choose = (list: readonly File[]): void =>
    takeModel(form, 'files', () => {
      const { name, files } = chosenFiles(list);
      void session.chooseFiles(files);
      return { kind: 'files', name };
    });
  if (!(here in elsewhere)) return null;
  return (
    <fieldset class="model-picker row" onDrop={(event) => choose([...(event.dataTransfer?.files ?? [])])}>
      <legend class="visually-hidden">The model</legend>
      {here === 'hub' ? <HubModel form={form} session={session} /> : null}
      {here === 'files' ? <ChooseModelFiles onFiles={choose} /> : null}
      <small role="status">
        {form.faults.value.has(faultPath(here))
          ? ''
          : model.kind === 'files'
            ? `${model.name}. The files stay where they are: a link to this run asks its reader for them.`
            : `${modelName(model)}. Nothing is fetched before you agree to its size.`}
      </small>
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

function HubModel({ form, session }: { form: ModelForm; session: Session }) {
  const { model } = form.draft.value;
  const named = model.kind === 'hub' ? model : { repository: 'Qwen/Qwen2.5-0.5B-Instruct', revision: 'main' };
  const use = async (typed: FormData): Promise<void> => {
    const [repository, revision] = ['repository', 'revision'].map((name) =>
      (typed.get(name) as string).trim(),
    );
    const isCommit = /^[0-9a-f]{40}$/.test(revision);
    const commit = isCommit ? revision : await session.findCommit(repository, revision);
    if (commit !== null) takeModel(form, 'hub', () => ({ kind: 'hub', repository, revision: commit }));
  };
  const field = (name: 'repository' | 'revision', label: string) => (
    // Another run or preset may bring another model.
    <label key={`${name} ${modelName(model)}`}>
      {label}
      <input type="text" name={name} maxLength={1000} spellcheck={false} defaultValue={named[name]} />
    </label>
  );
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        event.submitter!.focus(); // the fields are replaced by those of the found commit
        void use(new FormData(event.currentTarget));
      }}
    >
      {field('repository', 'Repository, or repository:file.gguf')}
      {field('revision', 'Branch, tag or commit')}
      <button>Look up its commit and use it</button>
    </form>
  );
}
