import { expect, it } from 'vitest';
import { countReflections } from '../../../src/run/record/reflection';

it('self-reflection words count as whole words, in any case and across a line end', () => {
  expect(countReflections('Wait, the box. Hmm, actually no.\nLet me\ncheck: however ...')).toBe(5);
  expect(countReflections('The waiter lets them await in the waiting_room. Let me go.')).toBe(0);
  expect(countReflections('')).toBe(0);
});
