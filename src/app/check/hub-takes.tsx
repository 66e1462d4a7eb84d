/** What a run of a model of the Hub takes before and after it begins, for the button that begins it. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { PresetCost } from '../../../workers/protocol';
import type { RunConfig } from '../../run/config/config';
import { presets } from '../../run/config/presets';
import { sizeWords } from '../models/sizes';
import type { Page } from '../page';
import { presetVerdict } from './check-words';

export function HubTakes({ page, config }: { page: Page; config: RunConfig }) {
  const costs = useSignal<readonly PresetCost[] | null>(null);
  const check = page.keptCheck.check.value;
  useEffect(() => void page.session.costs().then((found) => (costs.value = found)), []);
  const cost = costs.value?.find(({ preset }) => preset === config.preset);
  const isItsModel = JSON.stringify(presets[config.preset]?.model) === JSON.stringify(config.model);
  const size =
    cost === undefined || !isItsModel ? 'a download' : `about ${sizeWords(cost.download)} to download`;
  return (
    <small class="takes">
      {size}, after you agree; then{' '}
      {check === null || !isItsModel ? 'hours on a GPU' : presetVerdict(config.preset, check)}
    </small>
  );
}
