/** Explanations of the first screen, with the terms of the field. */
import { presets } from '../../run/config/presets';
import { percent } from '../ui/numbers';
import { paysInFull } from '../words/paying';
import { rungs } from '../../run/recording/recording-file';

export const topics = {
  'the task':
    'A small language model reads a story: people swap the contents of two places, and some of them are out of the room at the time. The question asks what one person thinks that another person thinks (theory of mind). The model may reason in words, then it answers. Answers that earn more reward than the others of a step (a positive advantage) become more likely: this is reinforcement learning. Everything runs on this computer, and nothing is uploaded.',
  'the size':
    'The weights (parameters) are the numbers that training changes. Chatbots have billions. All three models learned from the same examples and get the same reward. One ladder is no evidence about size: the claim of our study that the largest model keeps its reasoning failed. Over its ten ladders, which trained longer, the largest lost it too in four. This ladder is a shorter training of one start of the study, with its own schedule; in the study’s 150 steps this start did not keep thinking.',
  'the picture':
    'Each named column is a person, shaded while that person is in the room. ● moves something, → leaves, ← comes back. The first column is the place of the object. Each model has a column with its thoughts on every event in its latest test: ✓ true, ✗ false. The outlined row is the last event that all persons of the question saw; its place is the right answer.',
  'practice and test':
    'In practice a model samples its words at random, which lets training compare several answers. About half of the first samples skip the reasoning, and more of them are wrong than in the test. Every ten steps the model takes a test: greedy (no randomness), on questions that it never trains on. Before training all three models reason there, in about 20 words. The verdict uses the test alone. “All” counts every question of belief, greedy and sampled; the two can differ. Papers report that greedy accuracy rises while reasoning is lost; in our study that pattern shows in 1 of 35 base runs.',
  reward: `The mean reward of the answers of a step. ${paysInFull(presets[rungs[0].preset])}`,
  thinking:
    'Words that a model writes before its answer: its trace, or chain of thought. A word is a token of the built-in models. The line is the mean of a step in practice, where words are sampled. The dots are the tests, where the model takes its likeliest words; the verdict uses them.',
  'hard questions':
    'Most questions have a shortcut that ignores beliefs: name the place of the object after the first event (in stories of swaps; in other stories, at the moment when the first person of the question left). Hard are those on which the shortcut is wrong, easy those on which it is right. Measured in the test.',
  'the guess':
    'Keeps: more than half of its correct reasoning (every statement is true, and most of the needed ones are there) and of its right answers to hard questions remain. Fakes: it still writes, but at most half of them remain. Stops: it writes at most half as many words, and at most half of them remain, or there was little correct reasoning before training. Other endings: it thinks less (a part is lost, but less than half); its answers stay right while its reasoning becomes false; it had little to lose and still writes; or the result is too close to call. No guess is right or wrong then.',
  'the seed':
    'A number that fixes the questions and every random draw. It is part of the address. The same seed gives the same runs. Another seed gives other practice questions and other luck; the test stays the same. A recorded model was trained beforehand with seed 2401 and does not change.',
  'another seed':
    'Other practice questions and other luck, the same test. A result that both runs show is not the luck of practice. Another start can end differently.',
} as const;

export type Topic = keyof typeof topics;

export function Explained({ about, often }: { about: Topic; often?: number }) {
  const words = often === undefined ? '' : ` Here it is right on ${percent(often)} of the questions.`;
  return <>{topics[about] + words}</>;
}
