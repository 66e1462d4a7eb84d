/** Summary of a shared link, shown before anything starts. */
import { counted } from '../ui/numbers';
import { contactsOf } from '../../share/contacts';
import { rowsOf } from '../../share/run-fingerprint';
import { differences, fieldsOf, sameConfig } from '../../run/config/fields';
import { presets } from '../../run/config/presets';
import type { RunConfig } from '../../run/config/config';
import { expandSweep } from '../../run/sweep/sweep';
import { FieldList } from '../ui/table';
import { modelWords } from '../words/sizes';
import { presetDescriptions, presetNames } from '../words/preset-words';
import type { FormStore } from '../page/form-store';
import { armName } from '../words/arms';
import { realModelNamed, realModelOf } from '../words/real-models';
import { isOfModel, settingWords, valueWords, workWords } from '../words/run-words';

/** Shown while the form matches the link, until the visitor closes it or takes a seat. */
export function SharedLinkScreen(props: {
  form: FormStore;
  /** Hides names and descriptions of presets, since they reveal how a run ends. */
  isEndingHidden: boolean;
}) {
  const { form, isEndingHidden } = props;
  const shared = form.sharedLink.value;
  if (shared === null || !form.isSharedLinkNew.value || form.seat.value !== null) return null;
  if (!sameConfig(shared.config, form.draft.value)) return null;
  const { config, fingerprint, backend } = shared;
  const { training, reward } = config;
  /** Set by a class link. Each seat then determines a seed and an arm. */
  const classroom = form.classroom.value;
  const isOfClass = classroom !== null;
  const arms =
    classroom === null
      ? []
      : expandSweep(classroom.base, { ...classroom.axes, seed: undefined }).map(armName);
  const before = fieldsOf(presets[config.preset]);
  // The headline shows the seed, and another row the model.
  const changed = [...differences(config, presets[config.preset])].filter(
    ([path]) => path !== 'seed' && !isOfModel(path),
  );
  return (
    <section class="panel shared-link" aria-labelledby="shared-link">
      <div class="panel-head">
        <h2 id="shared-link">
          {isOfClass ? 'What your class runs' : 'You were sent'}
          {isEndingHidden ? '' : `: ${presetNames[config.preset] ?? config.preset}`}
          {isOfClass ? null : <small> seed {config.seed}</small>}
        </h2>
        <button onClick={() => (form.isSharedLinkNew.value = false)}>Close</button>
      </div>
      {isEndingHidden || !isOfClass ? null : <p>{presetDescriptions[config.preset]}</p>}
      <FieldList
        class="stack"
        fields={[
          arms.length < 2
            ? null
            : ['Arms', `${arms.length}: “${arms.join('”, “')}”. The seat below gives you one of them.`],
          [
            'Model',
            `${modelWords(config.model)}; ${training.mode === 'lora' ? `LoRA of rank ${training.rank}` : 'all weights are trained'}`,
          ],
          ['Its files', filesWords(config)],
          reward.custom === undefined
            ? null
            : [
                'Reward',
                `The sender’s own function “${reward.custom}”. A link never contains it: the run cannot be repeated without it, and this page runs none.`,
              ],
          ['Work', `${workWords(config)}.`],
          [
            'Changed',
            changed.length > 0
              ? changed.map(([path, now]) => (
                  <span key={path} class="change">
                    {settingWords(path, now)}
                    {before.has(path) ? ` instead of ${valueWords(path, before.get(path)!)}` : ''}
                  </span>
                ))
              : arms.length < 2
                ? 'Nothing.'
                : 'Nothing but what the arms differ by.',
          ],
          fingerprint === null
            ? null
            : [
                'The sender’s run',
                `Its fingerprint came along: ${counted(rowsOf(fingerprint), 'step')}${backend === null ? '' : `, computed on ${backend}`}. Run it, and the page says whether yours is the same.`,
              ],
        ]}
      />
      <p class="explain">
        {arms.length > 1
          ? 'The seat below gives you your arm and your seed; somebody else may have the same seed in another arm.'
          : isOfClass
            ? 'Each of you runs it with a seed of their own, which comes with the seat below.'
            : 'Nothing has begun.'}
      </p>
    </section>
  );
}

/** Source of the model's files, and the way to get them. */
function filesWords(config: RunConfig): string {
  const { model } = config;
  if (model.kind === 'embedded')
    return contactsOf(config).length === 0
      ? 'Nothing beyond this page; nothing leaves this browser.'
      : 'Its adapter is on the Hugging Face Hub. Train downloads after you agree.';
  const offered = model.kind === 'files' ? realModelNamed(model.name) : realModelOf(model);
  const onHub = offered === undefined ? model : presets[offered.preset].model;
  const place =
    onHub.kind === 'hub'
      ? `On the Hugging Face Hub: ${onHub.repository.replace(':', ', file ')}, ${offered?.download ?? 'size shown before the download'}.`
      : 'Ask the sender where they are from.';
  return model.kind === 'hub'
    ? `${place} Train downloads after you agree.`
    : `The sender’s own files, “${model.name}”. ${place} Choose ${offered === undefined ? '' : `${offered.name} or `}your files at “Model”.`;
}
