import { expect, it } from 'vitest';
import { titleWords } from '../../../src/app/page/tab-title';

it('the title of the tab has the time left while a run trains, and whether it is paused', () => {
  const whileRunning = [724, null].map((seconds) => titleWords('running', seconds));
  expect(whileRunning).toEqual(['12 min left', 'Training']);
  expect(titleWords('paused', 724)).toBe('Paused');
  for (const activity of ['idle', 'opening', 'stopping', 'watching'] as const)
    expect(titleWords(activity, 724)).toBeNull();
});
