import { describe, expect, it } from 'vitest';
import { possibleAnswers } from '../../src/tom/worlds/item-world';
import { itemsOf } from './items';

const draw = (source: string) => itemsOf(source, 20, 3, { orders: [1, 2] });

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
