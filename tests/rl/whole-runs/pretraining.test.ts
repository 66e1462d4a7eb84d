import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { planOf } from '../../../scripts/pretrain/pretraining-plans';
import { restoreState, saveState } from '../../../scripts/pretrain/pretraining-state';
import { warmStart, warmStartRecipe } from '../../../src/rl/warm-start/warm-start';
import { generateDataset } from '../../../src/tom/worlds/generate';
import { compactPrompt } from '../../../src/tom/text/prompts';
import { createTablePolicy } from '../table-policy';

describe('a state of pretraining', () => {
  it('comes back from its file as it was, for the same run alone', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'marble-')), 'state');
    const stages = [{ mix: { full: 1, short: 0, direct: 0 }, steps: 2 }];
    const policy = createTablePolicy();
    await warmStart(policy, { ...warmStartRecipe('micro', 1), batch: 2, stages });
    const fresh = createTablePolicy();
    expect(await restoreState(path, fresh, 'a')).toBeNull();
    await saveState(path, policy, { steps: 2, tokens: 30, recipe: 'a' });
    expect(await restoreState(path, fresh, 'a')).toEqual({ steps: 2, tokens: 30 });
    expect(await fresh.state()).toEqual(await policy.state());
    await expect(restoreState(path, fresh, 'b')).rejects.toThrow('of another run');
  });
});

describe('the plans of pretraining', () => {
  it.each(['micro', 'nano', 'swap-25k', 'swap-100k', 'swap-398k', 'hitom-mini'])(
    'of %s are of stories told in its own vocabulary',
    (model) => {
      const { recipe, vocabulary, marks = [] } = planOf({ model, seed: 1 });
      const words = new Set(vocabulary);
      const pattern = marks.length === 0 ? /\s+/ : /\s+|(?=[.,?:])/;
      const items = generateDataset({ ...recipe.data, seed: 1, count: 50 });
      const unknown = items.flatMap((item) =>
        [compactPrompt(item), item.traces!.full!].flatMap((text) =>
          text.split(pattern).filter((word) => !words.has(word)),
        ),
      );
      expect(unknown).toEqual([]);
    },
  );

  it('train hitom-mini on each order about as often, although most are dropped', () => {
    const { recipe } = planOf({ model: 'hitom-mini', seed: 1 });
    const items = generateDataset({ ...recipe.data, seed: 1, count: 1000 });
    for (const order of [0, 1, 2, 3]) {
      const share = items.filter((item) => item.order === order).length / items.length;
      expect(Math.abs(share - 0.25)).toBeLessThan(0.06);
    }
  });
});
