import { describe, expect, it } from 'vitest';
import { type DataSpec, type Item } from '../../src/tom/item';
import { compactPrompt, formatPrompt } from '../../src/tom/text/prompts';
import { readSwapStory } from '../../src/tom/text/read-swap-story';
import { swapEvents, swapItem, type SwapWorld } from '../../src/tom/worlds/swap';
import { embeddedTokenizer } from '../export/model-folder';
import { sampled } from '../fixtures/sample';
import { itemsOf, swapExample as example } from './items';
import { readSwapStory as readSlowly } from './swap-reader';

/** Number of stories to check with the reader. */
const COUNT = sampled(800, 10_000);

const make = (change: Partial<DataSpec>, count: number, seed: number): Item[] =>
  itemsOf('swap', count, seed, change);

describe('the swap world', () => {
  it('renders its example word for word', () => {
    const item = swapItem(example, 'example');
    expect(formatPrompt(item, 'compact')).toEqual({ kind: 'text', text: compactPrompt(item) });
    expect(compactPrompt(item)).toBe(
      'gus ann cat eve entered . coin in box . ann swap jar box . gus exited . ann swap bin tin . cat exited . gus entered . gus swap jar bin . gus exited . ann exited . eve swap bin bag . where does gus think ann think coin ? <think>',
    );
    expect(item.traces).toEqual({
      full: 'start box ; ann jar ; none ; gus jar ; gus bin ; none ; so bin </think> <answer> bin </answer>',
      short: 'so bin </think> <answer> bin </answer>',
      direct: '</think> <answer> bin </answer>',
    });
    expect(item).toMatchObject({ kind: 're-entry', order: 2, shortcut: 'jar' });
  });

  it.each([
    ['plain stories', false, 3],
    ['stories with a return', true, 4],
  ])(
    `generates ${COUNT} %s with a slow reader’s answers and traces, in which only agents in the room act`,
    (_, reentry, seed) => {
      const items = [3, 6, 9, 12].flatMap((events) => make({ reentry, events }, COUNT / 4, seed));
      const disagreeing = items.filter(({ story, question, answer, traces }) => {
        const read = readSlowly(story, question);
        return (
          read.answer !== answer || traces!.full !== `${read.trace} </think> <answer> ${answer} </answer>`
        );
      });
      expect(disagreeing).toEqual([]);
      const swaps = items.map(({ story }) => story.split(' swap ').length - 1);
      expect(swaps).toEqual([3, 6, 9, 12].flatMap((events) => Array<number>(COUNT / 4).fill(events)));
      const events = items.flatMap(({ world }) => swapEvents(world as SwapWorld).slice(1));
      expect(events.every(({ actor, witnesses }) => witnesses.includes(actor))).toBe(true);
      const returns = items.filter(({ kind }) => kind === 're-entry').length / items.length;
      expect(Math.abs(returns - (reentry ? 0.5 : 0))).toBeLessThan(3 * Math.sqrt(0.25 / COUNT));
    },
  );

  it('uses exactly the words of the embedded models', () => {
    const used = new Set(['<pad>', '<eos>']);
    const items = [
      ...make({ reentry: true, rho: 0.2 }, 2000, 13),
      ...make({ reentry: true, rho: 0.81, events: 3 }, 1000, 14),
      ...make({ rho: 1, events: 9 }, 1000, 15),
      ...make({ reentry: true, rho: 0, events: 12 }, 1000, 16),
    ];
    for (const item of items) {
      for (const text of [compactPrompt(item), ...Object.values(item.traces!)])
        for (const word of text.split(' ')) used.add(word);
    }
    const { vocab } = embeddedTokenizer('ladder-12k').model;
    expect([...used].sort()).toEqual(Object.keys(vocab).sort());
  });
});

it('a chat prompt states both assumptions and lists the choices', () => {
  const [item] = make({}, 1, 1);
  const { messages } = formatPrompt({ ...item, choices: ['bin', 'jar'] }, 'chat') as { messages: { content: string }[] }; // prettier-ignore
  for (const part of ['left', 'together']) expect(messages[0].content).toContain(part);
  expect(messages[1].content).toContain('Choices:\nbin\njar');
});

it('the prompt of a swap story parses back into the events and the agents of the question', () => {
  for (const item of make({ reentry: true }, 200, 1)) {
    const world = item.world as SwapWorld;
    const { chain } = world;
    expect(readSwapStory(compactPrompt(item))).toMatchObject({ events: swapEvents(world), world: { chain } });
  }
});

it.each([
  '',
  'Sally put the ball in the box . where is ball ?',
  'ann bob entered . ball in box . ann danced . where is ball ?',
  'ann bob entered . ball in box . ann swap box . where is ball ?',
])('“%s” is no prompt of a swap story', (text) => {
  expect(readSwapStory(text)).toBeNull();
});
