/** Summary of a shared link, shown before anything starts. */
import { counted } from '../ui/numbers';
import { rowsOf } from '../../share/run-fingerprint';
import { sameConfig } from '../../run/config/fields';
import { expandSweep } from '../../run/sweep/sweep';
import { FieldList } from '../ui/table';
import { exactSize } from '../words/sizes';
import { presetNames } from '../words/preset-words';
import type { FormStore } from '../page/form-store';
import { hidesEnding } from '../page/hiding';
import type { Page } from '../page/page';
import { armName } from '../words/arms';
import { changesOf, modelTitle } from '../words/run-words';

/** Shown while the form matches the link, until the visitor closes it or takes a seat. */
export function SharedLinkScreen(page: FormStore & Pick<Page, 'lesson' | 'session'>) {
  const shared = page.sharedLink.value;
  if (shared === null || !page.isSharedLinkNew.value || page.seat.value !== null) return null;
  if (!sameConfig(shared.config, page.draft.value)) return null;
  const { config, fingerprint } = shared;
  const { model, reward, preset } = config;
  const room = page.classroom.value;
  const runs = room === null ? [] : expandSweep(room.base, { ...room.axes, seed: undefined });
  const changes = changesOf(config).filter((words) => !words.startsWith('seed '));
  return (
    <section class="panel shared-link" aria-labelledby="shared-link">
      <div class="panel-head">
        <h2 id="shared-link">
          {room === null ? 'You were sent' : 'What your class runs'}
          {hidesEnding(page) ? '' : `: ${presetNames[preset] ?? preset}`}
        </h2>
        <button onClick={() => (page.isSharedLinkNew.value = false)}>Close</button>
      </div>
      <FieldList
        fields={[
          ['model', model.kind === 'embedded' ? exactSize(model.name) : modelTitle(model)],
          room === null ? ['seed', config.seed] : null,
          runs.length < 2 ? null : ['arms', runs.map(armName).join('; ')],
        ]}
      />
      <p class="explain">
        {changes.length === 0 ? '' : `Changed: ${changes.join('; ')}. `}
        {model.kind === 'files'
          ? 'The model is the sender’s own files. “Train” asks for them; ask the sender where they are from. '
          : ''}
        {reward.custom === undefined
          ? ''
          : `A link never contains the sender’s own reward “${reward.custom}”: this page cannot repeat the run. `}
        {fingerprint === undefined
          ? ''
          : `The fingerprint of the sender’s ${counted(rowsOf(fingerprint), 'step')} came along: run it, and the page says whether yours is the same. `}
        {room === null ? 'Nothing has begun.' : ''}
      </p>
    </section>
  );
}
