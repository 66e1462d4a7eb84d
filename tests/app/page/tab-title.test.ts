import { expect, it } from 'vitest';
import { titleWords } from '../../../src/app/page/tab-title';

it('the title of the tab tells the time left while a run trains, and whether it is paused', () => {
  expect(titleWords('running', 724)).toBe('12 min left');
  expect(titleWords('running', null)).toBe('Training');
  expect(titleWords('paused', 724)).toBe('Paused');
  for (const activity of ['idle', 'opening', 'stopping', 'watching'] as const)
    expect(titleWords(activity, 724)).toBeNull();
});
