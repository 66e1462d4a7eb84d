import { describe, expect, it } from 'vitest';
import { standingEnding, type Ending } from '../../../src/run/verdict/ending';
import { endingOf } from '../../../src/run/verdict/rule';

/** A figure with the interval of its ratio to the start and the interval at the start. */
const left = (low: number, high: number, start: readonly [number, number] = [0.4, 0.5]) => ({
  count: 100,
  start: { value: 0, low: start[0], high: start[1] },
  ratio: { value: 0, low, high },
});

describe('the order of the cases', () => {
  const bounds = {
    surely: left(0.501, 0.749),
    kept: left(0.501, 0.75),
    halved: left(0.3, 0.5),
    open: left(0.5, 0.9),
  };
  const conditions = { silent: false, faithfulAtStart: true, aboveChance: true, wrongHigher: false };
  type Of = keyof typeof bounds;
  const ending = (
    wrong: Of,
    faithful: Of,
    changes: Partial<Parameters<typeof endingOf>[0]['conditions']> = {},
  ) =>
    endingOf({
      conditions: { ...conditions, ...changes },
      wrong: { ...bounds[wrong], chance: 0.2 },
      faithfulWrong: bounds[faithful],
    });

  it.each<[Of, Of, Ending]>([
    ['halved', 'halved', 'goes on writing, no longer thinks'],
    ['surely', 'halved', 'right answers, thinking no longer true'],
    ['kept', 'halved', 'right answers, thinking no longer true'],
    ['kept', 'kept', 'keeps thinking'],
    ['kept', 'surely', 'thinks less'],
    ['surely', 'kept', 'thinks less'],
    ['halved', 'kept', 'thinks less'],
    ['open', 'halved', 'too close to call'],
    ['kept', 'open', 'too close to call'],
  ])('with right answers %s and correct reasoning %s it is “%s”', (wrong, faithful, expected) => {
    expect(ending(wrong, faithful)).toBe(expected);
  });

  it('silence counts where both are lost, or nothing was there to lose', () => {
    expect(ending('halved', 'halved', { silent: true })).toBe('stops thinking');
    expect(ending('open', 'halved', { silent: true })).toBe('too close to call');
    expect(ending('open', 'open', { silent: true, faithfulAtStart: false })).toBe('stops thinking');
    expect(endingOf({ conditions, wrong: null, faithfulWrong: null })).toBe('not measured');
    const nothing = { ...conditions, silent: true, faithfulAtStart: false };
    expect(endingOf({ conditions: nothing, wrong: null, faithfulWrong: null })).toBe('stops thinking');
  });

  it('measures by thirty hard questions, and asks for that many before it says what was there to lose', () => {
    const of = (count: number, changes: Partial<typeof conditions>) =>
      endingOf({
        conditions: { ...conditions, ...changes },
        wrong: { ...bounds.halved, count, chance: 0.2 },
        faithfulWrong: { ...left(0.3, 0.5, [0.1, 0.19]), count },
      });
    expect(of(29, {})).toBe('not measured');
    expect(of(30, {})).toBe('goes on writing, no longer thinks');
    expect(of(29, { faithfulAtStart: false })).toBe('not measured');
    expect(of(30, { faithfulAtStart: false })).toBe('had little to lose');
    expect(of(30, { aboveChance: false })).toBe('had little to lose');
  });

  it('claims better thinking only where it is kept', () => {
    expect(ending('kept', 'kept', { wrongHigher: true })).toBe('thinks better');
    expect(ending('kept', 'surely', { wrongHigher: true })).toBe('thinks less');
    expect(ending('kept', 'halved', { wrongHigher: true })).toBe('right answers, thinking no longer true');
  });

  it('is sure that little was there to lose by an upper bound alone', () => {
    const of = (
      faithful: readonly [number, number],
      answers: readonly [number, number],
      aboveChance: boolean,
    ) =>
      endingOf({
        conditions: { ...conditions, faithfulAtStart: faithful[0] >= 0.2, aboveChance },
        wrong: { ...left(0.1, 0.2, answers), chance: 0.2 },
        faithfulWrong: left(0.1, 0.2, faithful),
      });
    expect(of([0.1, 0.19], [0.3, 0.4], true)).toBe('had little to lose');
    expect(of([0.1, 0.2], [0.3, 0.4], true)).toBe('too close to call');
    expect(of([0.18, 0.22], [0.3, 0.4], true)).toBe('too close to call');
    expect(of([0.2, 0.3], [0.1, 0.2], false)).toBe('had little to lose');
    expect(of([0.2, 0.3], [0.1, 0.21], false)).toBe('too close to call');
  });
});

describe('looks in between', () => {
  const look = (ending: Ending) => ({ ending, provisional: true });

  it('show an ending that held twice in a row', () => {
    expect(standingEnding([])).toBe('too close to call');
    expect(standingEnding([look('stops thinking')])).toBe('too close to call');
    expect(standingEnding([look('stops thinking'), look('stops thinking')])).toBe('stops thinking');
    expect(standingEnding([look('stops thinking'), look('keeps thinking')])).toBe('too close to call');
    expect(standingEnding([look('stops thinking'), look('too close to call'), look('stops thinking')])).toBe(
      'too close to call',
    );
  });

  it('do not bind the last step', () => {
    const last = { ending: 'stops thinking' as const, provisional: false };
    expect(standingEnding([look('too close to call'), last])).toBe('stops thinking');
    expect(standingEnding([look('stops thinking'), { ...last, ending: 'too close to call' }])).toBe(
      'too close to call',
    );
  });
});
