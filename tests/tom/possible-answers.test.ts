import { describe, expect, it } from 'vitest';
import { generateDataset } from '../../src/tom/worlds/generate';
import type { Item } from '../../src/tom/item';
import { possibleAnswers } from '../../src/tom/worlds/item-world';

const draw = (source: string): Item[] =>
  generateDataset({ source, orders: [1, 2], dropShortcutRight: 0, reentry: false, count: 20, seed: 3 });

describe('how many answers an item has', () => {
  it('is the places of a swap story’s room', () => {
    expect(new Set(draw('swap').map(possibleAnswers))).toEqual(new Set([5]));
  });

  it('is the places that a story names for the thing, the right one and the shortcut’s among them', () => {
    const items = draw('hitom');
    const counts = items.map((item) => possibleAnswers(item)!);
    expect(Math.max(...counts)).toBeGreaterThan(2);
    items.forEach(({ answer, shortcuts }, index) => {
      expect(counts[index]).toBeGreaterThanOrEqual(new Set([answer, ...Object.values(shortcuts)]).size);
    });
  });

  it('is what is offered, where something is, and else not known', () => {
    const bare = { ...draw('swap')[0], world: undefined };
    expect(possibleAnswers(bare)).toBe(null);
    expect(possibleAnswers({ ...bare, choices: ['a', 'b', 'c'] })).toBe(3);
    expect(possibleAnswers({ ...bare, scoring: { rule: 'binary' } })).toBe(2);
    expect(possibleAnswers({ ...bare, scoring: { rule: 'classes', classes: ['x', 'y', 'z', 'w'] } })).toBe(4);
  });
});
