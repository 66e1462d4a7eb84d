/** A run whose records a reader would refuse does not begin. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { presets, type RunConfig } from '../../src/index';
import { refuseUnrecordable } from '../../src/plan/recordable';
import { unansweredReport } from '../../src/rl/evaluate/evaluate';
import { openItems } from '../../src/rl/data';
import { newRunRecord } from '../../src/run/record/new-run';
import { emptyHistory } from '../../src/run/record/history';
import { recordedRollouts } from '../../src/run/record/rollouts';
import { packRun, unpackRun } from '../../src/share/run-file';
import { MarbleError } from '../../src/base/error';
import type { Item } from '../../src/tom/item';
import { rollout } from '../share/run-content';
import { plainItem } from '../tom/items';

const config: RunConfig = {
  ...presets['ladder-12k'],
  data: { ...presets['ladder-12k'].data, source: 'imported:1' },
};

const itemOf = (index: number, changes: Partial<Item> = {}): Item =>
  plainItem({
    ...{ id: `own:${index}`, storyId: `story ${index}`, story: 'Anne has a ball.' },
    ...{ question: 'Where is it?', answer: 'box', ...changes },
  });

const itemsOf = (count: number, changes: (index: number) => Partial<Item>): Item[] =>
  Array.from({ length: count }, (_, index) => itemOf(index, changes(index)));

const refused = (items: readonly Item[]) => refuseUnrecordable(config, { training: items });

describe('a data set', () => {
  it('whose orders, kinds or ids no record can hold is refused before the run', () => {
    expect(refused(itemsOf(600, () => ({})))).toBeNull();
    for (const changes of [
      (index: number) => ({ order: index % 2 === 0 ? 1 : index }),
      (index: number) => ({ order: index % 2 === 0 ? 1 : 1e9 }),
      () => ({ id: 'x'.repeat(1001) }),
      () => ({ answer: 'x'.repeat(2 ** 20 + 1) }),
      () => ({ dataset: 'x'.repeat(1001) }),
    ]) {
      expect(refused(itemsOf(600, changes))?.code, String(changes)).toBe('rl/not-recordable');
    }
    const kinds = itemsOf(600, () => ({ dataset: 'tomi', kind: 'x'.repeat(1001) }));
    const evaluation = { ...config.evaluation, imported: ['2'] };
    const judged = refuseUnrecordable({ ...presets['ladder-12k'], evaluation }, { evaluation: kinds });
    expect(judged?.code).toBe('rl/not-recordable');
  });

  it('that is accepted is written and read back', { timeout: 300_000 }, async () => {
    const value = fc.record({
      order: fc.oneof(fc.integer({ min: 0, max: 40 }), fc.nat()),
      kind: fc.option(fc.string({ maxLength: 1100, size: 'max' }), { nil: undefined }),
      dataset: fc.constantFrom('own', 'tomi', 'gsm8k', 'hitom', 'swap', 'x'.repeat(1001)),
      answer: fc.string(),
      id: fc.string({ maxLength: 1100, size: 'max' }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(value, { minLength: 2, maxLength: 40 }), async (values) => {
        const items = values.map((each, index) => itemOf(index, { ...each, id: `${index}${each.id}` }));
        let suite;
        try {
          if (refused(items) !== null) return;
          ({ suite } = openItems(config, { training: items }));
        } catch (thrown) {
          if (thrown instanceof MarbleError) return; // too few stories
          throw thrown;
        }
        const record = newRunRecord(config, 'a run', {});
        const evals = [{ report: unansweredReport(suite) }];
        const { history } = await unpackRun(
          await packRun({ history: { ...emptyHistory, record, evals }, rollouts: [], checkpoint: null }),
        );
        expect(history.evals).toEqual(evals);
      }),
      { numRuns: 60, seed: 1 },
    );
  });
});

describe('a run', () => {
  it('whose evaluations exceed its file is refused, and no preset is', { tags: ['long'] }, () => {
    const every = { ...presets['ladder-12k'], steps: 200_000 };
    const often = { ...every.evaluation, every: 1, items: 2000, finalItems: 2000 };
    expect(refuseUnrecordable({ ...every, evaluation: often })?.code).toBe('rl/not-recordable');
    for (const preset of Object.values(presets)) {
      const isOwn = preset.data.source.startsWith('imported') || preset.evaluation.imported !== undefined;
      if (!isOwn) expect(refuseUnrecordable(preset), preset.preset).toBeNull();
    }
  });

  it('has a name that its schema accepts', async () => {
    const record = newRunRecord(presets['ladder-12k'], 'x'.repeat(5000), {});
    const file = await packRun({ history: { ...emptyHistory, record }, rollouts: [], checkpoint: null });
    expect((await unpackRun(file)).history.record.name).toHaveLength(1000);
  });

  it('records of a step the first prompts, whole, as far as its file holds them', () => {
    const step = [0, 0, 1, 1, 2, 2].map((group, sample) => ({ ...rollout, group, sample }));
    expect(recordedRollouts(step)).toEqual(step);
    const each = JSON.stringify(rollout).length;
    const counts = [0, 1, 2, 3, 4, 5, 6].map((many) => recordedRollouts(step, many * 4 * each).length);
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
    for (const count of counts) expect([0, 2, 4, 6]).toContain(count);
    for (const most of [0, each, 3 * each, 10 * each])
      expect(JSON.stringify(recordedRollouts(step, most)).length).toBeLessThanOrEqual(most + 2);
  });
});
