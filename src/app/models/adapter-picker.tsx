/** What a run by LoRA starts from: a fresh adapter, or a saved one of PEFT's from a file, the Hub or an address. */
import { useSignal, type Signal } from '@preact/signals';
import { MarbleError } from '../../base/error';
import type { RunConfig } from '../../run/config/config';
import { checkRunConfig } from '../../run/config/check-config';
import type { Session } from '../session/session';

type Lora = Extract<RunConfig['training'], { mode: 'lora' }>;

export function AdapterPicker(props: { draft: Signal<RunConfig>; training: Lora; session: Session }) {
  const { draft, training, session } = props;
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
    if (list.length === 0) return;
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
        <input
          type="file"
          multiple
          accept=".zip,.json,.safetensors"
          onChange={(event) => {
            void choose([...(event.currentTarget.files ?? [])]);
            event.currentTarget.value = '';
          }}
        />
      </label>
      <small role="status" class={fault.value === null ? '' : 'fault'}>
        {fault.value ??
          `Rank ${training.rank}, alpha ${training.alpha}. hub:owner/name@commit or an address, of an adapter that PEFT has saved with this rank and alpha; or its zip, or its two files.`}
      </small>
    </fieldset>
  );
}
