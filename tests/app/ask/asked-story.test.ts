import { expect, it } from 'vitest';
import { clearestStory, drawStory } from '../../../src/app/ask/asked-story';
import { rungs } from '../../../src/run/recording/recording-file';
import { pairAt } from '../../../src/app/story/clearest-change';
import { presets } from '../../../src/run/config/presets';
import { swapItem } from '../../../src/tom/worlds/swap';
import { readRecording } from '../../fixtures/recordings';

it('another story is one of those that the run trains on, and the same for the same number', () => {
  const config = presets['order-3'];
  for (let number = 0; number < 20; number++) {
    const world = drawStory(config, number);
    expect(world.chain).toHaveLength(3);
    expect(world.lines.filter(({ act }) => act === 'swap')).toHaveLength(6);
    expect(drawStory(config, number)).toEqual(world);
  }
  expect(drawStory(config, 1)).not.toEqual(drawStory(config, 2));
});

it('the first story is one that the two models answered differently, word for word', () => {
  for (const { preset } of rungs) {
    const { evals } = readRecording(preset);
    const { story, question } = swapItem(clearestStory(evals)!, 'asked');
    const answers = [evals[0], evals.at(-1)!].map(
      ({ report }) => report.samples.find(({ prompt }) => prompt.startsWith(`${story} ${question}`))!.reward,
    );
    expect(answers[0].correct).not.toBe(answers[1].correct);
  }
  expect(clearestStory([])).toBeNull();
});

it('the first answer is compared with the last one up to the step, at the first evaluation with the latest of all', () => {
  const { evals } = readRecording('ladder-25k');
  const [first, second] = evals;
  const before = first.report.samples.find(({ itemId }) =>
    second.report.samples.some((sample) => sample.itemId === itemId),
  )!;
  expect(pairAt(evals, before, second.report.step + 1)!.step).toBe(second.report.step);
  expect(pairAt(evals, before, first.report.step)!.step).toBe(evals.at(-1)!.report.step);
  expect(pairAt(evals, before, evals.at(-1)!.report.step)!.after.itemId).toBe(before.itemId);
  expect(pairAt([first], before, 0)).toBeNull();
});
