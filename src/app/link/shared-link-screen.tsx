/** Summary of a shared link, shown before anything starts. */
import { counted } from '../ui/numbers';
import { rowsOf } from '../../share/run-fingerprint';
import { differences, fieldsOf, sameConfig } from '../../run/config/fields';
import { presets } from '../../run/config/presets';
import { expandSweep } from '../../run/sweep/sweep';
import { FieldList } from '../ui/table';
import { modelWords } from '../words/sizes';
import { presetNames } from '../words/preset-words';
import type { FormStore } from '../page/form-store';
import { armName } from '../words/arms';
import { realModelNamed } from '../words/real-models';
import { isOfModel, settingWords, valueWords } from '../words/run-words';

/** Shown while the form matches the link, until the visitor closes it or takes a seat. */
export function SharedLinkScreen(props: {
  form: FormStore;
  /** True in a lesson, which has no choice of models. */
  isLesson: boolean;
  /** Hides names and descriptions of presets, since they reveal how a run ends. */
  isEndingHidden: boolean;
}) {
  const { form, isLesson, isEndingHidden } = props;
  const shared = form.sharedLink.value;
  if (shared === null || !form.isSharedLinkNew.value || form.seat.value !== null) return null;
  if (!sameConfig(shared.config, form.draft.value)) return null;
  const { config, fingerprint, backend } = shared;
  const { training, reward } = config;
  /** Set by a class link. Each seat then determines a seed and an arm. */
  const classroom = form.classroom.value;
  const isOfClass = classroom !== null;
  const isFixed = isOfClass || isLesson;
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
      <FieldList
        class="stack"
        fields={[
          arms.length < 2 ? null : ['Arms', `${arms.length}: “${arms.join('”, “')}”.`],
          [
            'Model',
            `${modelWords(config.model)}; ${training.mode === 'lora' ? `LoRA of rank ${training.rank}` : 'all weights are trained'}`,
          ],
          config.model.kind === 'files' ? ['Its files', filesWords(config.model.name, isFixed)] : null,
          reward.custom === undefined
            ? null
            : [
                'Reward',
                `The sender’s own function “${reward.custom}”. A link never contains it: the run cannot be repeated without it, and this page runs none.`,
              ],
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

/** Where to get the files of a sender. */
function filesWords(name: string, isFixed: boolean): string {
  const offered = isFixed ? undefined : realModelNamed(name);
  const where =
    offered === undefined
      ? 'Ask the sender where they are from.'
      : `They are on the Hugging Face Hub too: choose ${offered.name} at “Model”.`;
  return `The sender’s own files, “${name}”. “Train” asks for them. ${where}`;
}
