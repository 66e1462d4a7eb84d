/** What a run of a model of the Hub takes before and after it begins, for the button that begins it. */
import type { RunConfig } from '../../run/config/config';
import { presets } from '../../run/config/presets';
import { sizeWords } from '../models/sizes';
import type { Page } from '../page';
import { presetVerdict } from './check-words';
import { useFound } from '../ui/use-found';

export function HubTakes({ page, config }: { page: Page; config: RunConfig }) {
  const costs = useFound(() => page.session.costs(), []);
  const check = page.keptCheck.check.value;
  const cost = costs?.find(({ preset }) => preset === config.preset);
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
