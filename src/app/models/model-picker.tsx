/** Which model a run trains: one of the page's own, a Hub repository, any address, or the visitor's files. */
import { useSignal, type Signal } from '@preact/signals';
import { MarbleError } from '../../base/error';
import { type RunConfig } from '../../run/config/config';
import {
  embeddedModels,
  isEmbedded,
  type EmbeddedModel,
  type ModelChoice,
} from '../../run/config/model-config';
import { firstRunOf, homePresets, presets } from '../../run/config/presets';
import { checkRunConfig } from '../../run/config/check-config';
import { adapterPlaceOf, shippedAdapters } from '../../run/config/saved-adapter';
import { modelName } from '../../share/name';
import type { Page, Faults } from '../page/page';
import type { Session } from '../session/session';
import { FileInput } from '../ui/files';
import { chosenFiles, droppedFiles } from './chosen-files';

type Origin = EmbeddedModel | 'hub' | 'url' | 'files';

const origins: Record<Origin, string> = {
  'ladder-12k': 'ladder-12k: one layer',
  'ladder-25k': 'ladder-25k: two layers',
  'ladder-100k': 'ladder-100k: twice as wide',
  'ladder-398k': 'ladder-398k: thirty times larger',
  'hitom-mini': 'hitom-mini: Hi-ToM’s recipe',
  hub: 'The Hugging Face Hub',
  url: 'Another address',
  files: 'Files of this computer',
};

/** What is missing before a model of this origin can train. */
const unchosen = {
  hub: 'Choose a model of the Hub.',
  url: 'Enter the address of the model.',
  files: 'Choose the model’s folder.',
} as const;

const option = (origin: Origin) => (
  <option key={origin} value={origin}>
    {origins[origin]}
  </option>
);

/** A model that the page no longer ships is none of the options. */
const originOf = (model: ModelChoice): Origin =>
  model.kind === 'embedded' ? (model.name as Origin) : model.kind;

/** The preset that a model begins with: an embedded one has the words of one world alone, any other has a first run. */
function homeOf(model: ModelChoice): RunConfig | undefined {
  if (model.kind !== 'embedded') return firstRunOf(model);
  return isEmbedded(model.name) ? presets[homePresets[model.name]] : undefined;
}

/** Until the model is named, a run would train the one before it. */
export function withModelFault(faults: Faults, fault: string | null): Faults {
  const next = new Map(faults);
  next.delete('model');
  return fault === null ? next : next.set('model', fault);
}

const hasSameAdapter = (one: RunConfig, other: RunConfig): boolean =>
  JSON.stringify(adapterPlaceOf(one)) === JSON.stringify(adapterPlaceOf(other));

/** The settings that go with a model: those at hand, or the ones of its preset where it reads another world or fits no adapter of theirs. */
export function withModel(config: RunConfig, model: ModelChoice): RunConfig {
  const home = homeOf(model)!; // only what is there can be chosen
  const isAnother = home.preset !== homeOf(config.model)?.preset;
  const fits =
    homeOf(config.model)?.data.source === home.data.source &&
    !(isAnother && adapterPlaceOf(config)?.kind === 'ships' && !hasSameAdapter(config, home));
  const rest = fits ? config : home;
  return checkRunConfig({ ...rest, seed: config.seed, model });
}

export function ModelPicker({ page }: { page: Page }) {
  const { draft, faults, session } = page;
  const { model } = draft.value;
  const place = page.places.place.value;
  const origin = useSignal<Origin | null>(place.name === 'run' && place.tab === 'model' ? 'hub' : null);
  const fault = useSignal<string | null>(null);
  const here = origin.value ?? originOf(model);

  const take = (next: () => ModelChoice): void => {
    try {
      draft.value = withModel(draft.value, next());
      origin.value = fault.value = null;
      faults.value = withModelFault(faults.value, null);
    } catch (thrown) {
      if (!(thrown instanceof MarbleError)) throw thrown;
      fault.value = `${thrown.message} ${thrown.nextStep}`;
      faults.value = withModelFault(faults.value, fault.value); // otherwise the model before it would train
    }
  };
  const takeFiles = async (list: readonly File[]): Promise<void> => {
    take(() => {
      const { name, files } = chosenFiles(list);
      void session.chooseFiles(files);
      return { kind: 'files', name };
    });
    return Promise.resolve();
  };

  return (
    <fieldset
      class="field model-picker"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        if (event.dataTransfer !== null) void droppedFiles(event.dataTransfer).then(takeFiles);
      }}
    >
      <legend>Model</legend>
      <select
        aria-label="Where the model is from"
        value={here}
        onChange={(event) => {
          const chosen = event.currentTarget.value as Origin;
          fault.value = null;
          if (isEmbedded(chosen)) take(() => ({ kind: 'embedded', name: chosen }));
          else {
            origin.value = chosen;
            faults.value = withModelFault(faults.value, chosen === originOf(model) ? null : unchosen[chosen]);
          }
        }}
      >
        <optgroup label="In this page">{embeddedModels.map(option)}</optgroup>
        <optgroup label="From elsewhere">{(['hub', 'url', 'files'] as const).map(option)}</optgroup>
      </select>
      {here === 'hub' ? <HubModel model={model} session={session} take={take} /> : null}
      {here === 'url' ? <AddressedModel model={model} take={take} /> : null}
      {here === 'files' ? <OwnModel model={model} onFiles={takeFiles} /> : null}
      <small role="status" class={fault.value === null ? '' : 'fault'}>
        {fault.value ?? explanation(here, model)}
      </small>
    </fieldset>
  );
}

function explanation(origin: Origin, model: ModelChoice): string {
  if (originOf(model) !== origin) return 'The settings below change to those for a model of this kind.';
  switch (model.kind) {
    case 'embedded':
      return isEmbedded(model.name)
        ? 'It ships with this page. Models from elsewhere are trained by an adapter (LoRA).'
        : `This run’s model, ${model.name}, is no longer part of Marble: to train, choose another one.`;
    case 'hub':
    case 'url':
      return `${modelName(model)}. Its size is asked for when you press the button, and nothing is fetched before you agree.`;
    case 'files':
      return `${model.name}. The files stay where they are: a link to this run asks its reader for them.`;
  }
}

type Take = (next: () => ModelChoice) => void;

function HubModel({ model, session, take }: { model: ModelChoice; session: Session; take: Take }) {
  const repository = useSignal(model.kind === 'hub' ? model.repository : 'Qwen/Qwen2.5-0.5B-Instruct');
  const revision = useSignal(model.kind === 'hub' ? model.revision : 'main');
  const looksUp = !/^[0-9a-f]{40}$/.test(revision.value);
  const use = async (): Promise<void> => {
    const commit = looksUp ? await session.findCommit(repository.value, revision.value) : revision.value;
    if (commit === null) return;
    revision.value = commit;
    take(() => ({ kind: 'hub', repository: repository.value, revision: commit }));
  };
  return (
    <>
      <TextInput label="Repository, or repository:file.gguf" text={repository} />
      <TextInput label="Branch, tag or commit" text={revision} />
      <button type="button" onClick={() => void use()}>
        {looksUp ? 'Look up its commit and use it' : 'Use this model'}
      </button>
    </>
  );
}

function AddressedModel({ model, take }: { model: ModelChoice; take: Take }) {
  const address = useSignal(model.kind === 'url' ? model.url : 'https://');
  return (
    <>
      <TextInput label="Address of the folder with config.json, or of a GGUF file" text={address} />
      <button type="button" onClick={() => take(() => ({ kind: 'url', url: address.value }))}>
        Use this model
      </button>
    </>
  );
}

function OwnModel({
  model,
  onFiles,
}: {
  model: ModelChoice;
  onFiles: (files: readonly File[]) => Promise<void>;
}) {
  const choose = (files: readonly File[]): void => void onFiles(files);
  return (
    <>
      <label>
        Its folder <FileInput isFolder onFiles={choose} />
      </label>
      <label>
        or its files <FileInput accept=".json,.jinja,.safetensors,.gguf" onFiles={choose} />
      </label>
      <p class="explain">
        {model.kind === 'files' ? 'Others can be dropped here as well.' : 'They can be dropped here as well.'}
      </p>
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

type Lora = Extract<RunConfig['training'], { mode: 'lora' }>;

/** What a run by LoRA starts from: a fresh adapter, or a saved one of PEFT's from a file, the Hub or an address. */
export function AdapterPicker({ page, training }: { page: Page; training: Lora }) {
  const { draft, session } = page;
  const fault = useSignal<string | null>(null);

  const take = (changes: Partial<Lora>): void => {
    const { adapter, ...rest } = { ...training, ...changes };
    try {
      // No empty field: a fresh adapter's configuration has none.
      const next: Lora = adapter === undefined || adapter === '' ? rest : { ...rest, adapter };
      draft.value = checkRunConfig({ ...draft.value, training: next });
      fault.value = null;
    } catch (thrown) {
      if (!(thrown instanceof MarbleError)) throw thrown;
      fault.value = thrown.message;
    }
  };
  const choose = async (list: readonly File[]): Promise<void> => {
    const chosen = await session.chooseAdapter(Object.fromEntries(list.map((file) => [file.name, file])));
    if (chosen === null) return;
    const name = list.length === 1 ? list[0].name : 'adapter';
    take({ ...chosen, adapter: `files:${name.replaceAll(/[^\w.-]/g, '-').slice(0, 96)}` });
  };

  return (
    <fieldset class="field model-picker">
      <legend>Adapter</legend>
      <label>
        Start from a saved one
        <input
          type="text"
          spellcheck={false}
          placeholder="a fresh adapter"
          value={training.adapter ?? ''}
          onChange={(event) => take({ adapter: event.currentTarget.value.trim() })}
        />
      </label>
      <label>
        or from its files{' '}
        <FileInput accept=".zip,.json,.safetensors" onFiles={(files) => void choose(files)} />
      </label>
      <small role="status" class={fault.value === null ? '' : 'fault'}>
        {fault.value ??
          `Rank ${training.rank}, alpha ${training.alpha}. hub:owner/name@commit or an address, of an adapter that PEFT has saved with this rank and alpha; or its zip, or its two files. With this page comes ${shippedAdapters.map((name) => `ships:${name}`).join(', ')}, for SmolLM2-135M-Instruct.`}
      </small>
    </fieldset>
  );
}
