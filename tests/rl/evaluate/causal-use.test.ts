import { describe, expect, it } from 'vitest';
import type { Policy } from '../../../src/model/policy';
import { createRandom } from '../../../src/base/random';
import { causalUse, type Trace } from '../../../src/rl/evaluate/causal-use';
import type { CausalUse } from '../../../src/run/record/evaluation';
import type { Item } from '../../../src/tom/item';
import { itemWorld } from '../../../src/tom/worlds/item-world';
import {
  drawSwapWorld,
  isSeenByAll,
  swapDefaults,
  swapEvents,
  swapItem,
  type SwapWorld,
} from '../../../src/tom/worlds/swap';
import { encodePrompt } from '../../../src/rl/rollout';
import { createTablePolicy, tableTokenizer } from '../table-policy';
import { measuredAccuracy } from '../../../src/reward/accuracy';

const options = { maxNewTokens: 60, reward: { preset: 'logic-rl' as const }, seed: 7 };

/**
 * A table policy whose completions come from a function of the text after `<think>`.
 *
 * @param goOn continues the forced start, up to the answer
 */
function speaking(goOn: (said: string, prompt: string) => string): Policy {
  const policy = createTablePolicy();
  return {
    ...policy,
    generate: (prompts) =>
      Promise.resolve(
        prompts.map((ids) => {
          const [prompt, said] = tableTokenizer.decode(ids).split('<think>');
          const tokens = [...tableTokenizer.encode(goOn(said.trim(), prompt)), ...tableTokenizer.stopIds];
          return { tokens, logprobs: new Float32Array(tokens.length), finished: true };
        }),
      ),
  };
}

const answering = (said: string, place: string): string =>
  `${said.endsWith('</think>') ? '' : '</think> '}<answer> ${place} </answer>`;

/** Answers with the last place in its trace. */
const user = speaking((said) => {
  const clauses = said
    .replace('</think>', '')
    .split(';')
    .map((clause) => clause.trim().split(' '))
    .filter((clause) => clause.length > 1);
  return answering(said, clauses.at(-1)?.[1] ?? 'tin');
});

/** Answers with the story's first place, independent of its trace. */
const ignorer = speaking((said, prompt) => answering(said, / in (\w+) \./.exec(prompt)![1]));

const gold = (items: readonly Item[]): Trace[] =>
  items.map((item) => ({ item, think: item.traces!.full!.split(' </think>')[0] }));

const random = createRandom(3);
const swap = Array.from({ length: 80 }, (_, index) =>
  swapItem(drawSwapWorld(random, 1 + (index % 3), { ...swapDefaults, rho: 1 }), `swap-${index}`),
);

const use = async (policy: Policy, items: readonly Item[]): Promise<CausalUse> =>
  (await causalUse(policy, gold(items), options))!;

describe('the causal use of a trace', () => {
  it('is high for a model that answers from its trace', async () => {
    const { cut, changed, followed } = await use(user, swap);
    expect(measuredAccuracy(cut)).toBeGreaterThan(0); // where the cut loses the last place
    expect(measuredAccuracy(cut)).toBeLessThan(1);
    expect(followed.count).toBeGreaterThan(70);
    expect(measuredAccuracy(followed)).toBeGreaterThan(0.5); // this policy does not apply the following swaps
    expect(measuredAccuracy(changed)).toBeGreaterThan(0.8);
  });

  it('is zero for a model that ignores its trace', async () => {
    const { cut, changed, followed } = await use(ignorer, swap);
    expect(followed.count).toBeGreaterThan(40);
    expect([measuredAccuracy(cut), measuredAccuracy(changed), measuredAccuracy(followed)]).toEqual([0, 0, 0]);
    expect(followed.high).toBeGreaterThan(0);
  });

  it('propagates a false place through the following swaps', async () => {
    // The object starts in the box and is moved: if "jar" is stated after the first swap, the consistent answer follows
    // jar.
    const item = swapItem(
      {
        agents: ['ann', 'bob', 'cat', 'dan'],
        places: ['bag', 'bin', 'box', 'jar', 'tin'],
        object: 'coin',
        start: 'box',
        lines: [
          { act: 'swap', actor: 'ann', places: ['box', 'bin'] },
          { act: 'swap', actor: 'bob', places: ['jar', 'tin'] },
        ],
        chain: ['ann'],
      },
      'one',
    );
    const forcedTexts: string[] = [];
    const moved = new Map([
      ['jar', 'tin'],
      ['tin', 'jar'],
    ]);
    const tracker = speaking((said) => {
      forcedTexts.push(said);
      const clauses = said.split(' ; ').length;
      const last = / ?(\w+) (?:;|<\/think>)$/.exec(said)?.[1] ?? '';
      const first = clauses === 1 ? (last === 'box' ? 'bin' : last === 'bin' ? 'box' : last) : last;
      const place = said.endsWith('</think>') || clauses === 3 ? last : (moved.get(first) ?? first);
      return answering(said, place);
    });
    for (let seed = 0; seed < 12; seed++) {
      const result = await causalUse(tracker, gold([item]), { ...options, seed });
      expect(measuredAccuracy(result!.followed)).toBe(1);
    }
    const lies = forcedTexts.filter((said) => !said.endsWith('</think>'));
    expect(new Set(lies.map((said) => said.split(';').length - 1))).toEqual(new Set([1, 2, 3]));
  });

  it('asks no more tokens than the model has positions for', async () => {
    const lengths = swap.map((item) => encodePrompt(user, item, options.maxNewTokens).length);
    const maxPositions = Math.max(...lengths) + options.maxNewTokens;
    const tight: Policy = {
      ...user,
      config: { ...user.config, maxPositions },
      generate: (prompts, given) => {
        const longest = Math.max(...prompts.map(({ length }) => length));
        expect(given.maxNewTokens).toBeGreaterThan(0);
        expect(longest + given.maxNewTokens).toBeLessThanOrEqual(maxPositions);
        return user.generate(prompts, given);
      },
    };
    expect(await use(tight, swap)).toEqual(await use(user, swap));
  });

  it('never changes the conclusion, and changes one place of the trace', async () => {
    const calls: [string, string][] = [];
    const spy: Policy = speaking((said, prompt) => {
      calls.push([said, prompt]);
      return answering(said, 'tin');
    });
    await use(spy, swap.slice(0, 20));
    const lies = calls.filter(([said]) => !said.endsWith('</think>'));
    expect(lies.length).toBeGreaterThan(10);
    for (const [said, prompt] of lies) {
      expect(said).not.toContain('so ');
      const truth = gold(swap.slice(0, 20)).find(
        ({ item }) => `${item.story} ${item.question} ` === prompt,
      )!.think;
      const different = said.split(' ').filter((word, index) => word !== truth.split(' ')[index]);
      expect(different).toHaveLength(1);
    }
  });

  it('skips traces that cannot be falsified: empty, of another world, outside the grammar, or of unseen events', async () => {
    const [item] = swap;
    const traces = ['', 'so tin', 'ann ann ann'].map((think) => ({ item, think }));
    for (const item of swap.slice(0, 20)) {
      const { world } = itemWorld(item) as { world: SwapWorld };
      const clauses = swapEvents(world).map((event) =>
        isSeenByAll(event, world.chain) ? 'none' : `${event.actor} ${event.place}`,
      );
      traces.push({ item, think: clauses.join(' ; ') });
    }
    expect(traces.filter(({ think }) => think.includes('none ; ann ')).length).toBeGreaterThan(0);
    expect(await causalUse(user, traces, options)).toBe(null);
    const other = gold([item]).map(({ think }) => ({ item: { ...item, dataset: 'hitom' }, think }));
    expect(await causalUse(user, other, options)).toBe(null);
  });
});
