/** Table of the settings in a report. */
import type { RunConfig } from '../../run/config/config';
import { presetOf } from '../../run/config/presets';
import { fieldsOf } from '../../run/config/fields';
import { changedFields } from '../settings/form';
import { FieldList } from '../ui/table';

export function ConfigTable({ config }: { config: RunConfig }) {
  const changed = changedFields(config);
  return (
    <section class="panel" aria-labelledby="all-settings">
      <h2 id="all-settings">Settings</h2>
      <p class="explain">
        {presetOf(config) === null
          ? 'This page has no preset of this name to compare them with.'
          : changed.size === 0
            ? 'All as in the preset.'
            : 'What differs from the preset is in bold.'}
      </p>
      <FieldList
        class="fields"
        fields={[...new Map([...fieldsOf(config), ...changed])].map(([path, value]) => [
          path,
          changed.has(path) ? <b>{value || 'none'}</b> : value,
        ])}
      />
    </section>
  );
}
