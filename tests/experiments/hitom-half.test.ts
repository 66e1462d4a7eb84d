import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { complete, outcomesOf } from '../../scripts/experiments/measure';
import { readHitom } from '../../scripts/experiments/lines';
import { modelFiles } from '../../scripts/model-files';
import { readPublishedItems } from '../../scripts/published-items';
import { loadPolicy, openEngine, presets } from '../../src/index';
import { hasShared, sharedPath } from '../fixtures/shared';

const half = 'data/hitom/hitom_half.jsonl';
const root = join(import.meta.dirname, '..', '..');

it.skipIf(!hasShared(half))(
  'hitom-mini answers the published half as the report has it, item by item',
  { timeout: 240_000 },
  async () => {
    const [{ before }] = readHitom(readFileSync(join(root, 'docs/experiments/hitom.jsonl'), 'utf8'));
    const items = (await readPublishedItems([sharedPath(half)])).map(({ item }) => item);
    const engine = await openEngine({ backend: 'wasm' });
    const policy = await loadPolicy(engine, {
      files: await modelFiles(join(root, 'public/models/hitom-mini')),
    });
    const { rollout, reward } = presets['hitom-mini'];
    const now = outcomesOf(await complete(policy, items, rollout.maxNewTokens, 0, reward));
    policy.dispose();
    engine.dispose();
    // The report's items begin with these.
    expect(items).toHaveLength(48);
    const { thinkTokens, ...texts } = before.greedy;
    expect(now).toEqual({
      ...Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text.slice(0, items.length)])),
      thinkTokens: thinkTokens.slice(0, items.length),
    });
  },
);
