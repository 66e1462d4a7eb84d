/** What the words of the first screen mean, in the field's terms as well. */
import { presets } from '../../run/config/presets';
import { percent } from '../ui/numbers';
import { paysInFull } from '../words/paying';
import { rungs } from '../../run/recording/recording-file';

export const topics = {
  'the task':
    'A small language model reads a story: people swap what lies in two places, and some are out of the room when they do. It is asked where somebody thinks that somebody thinks a thing is (theory of mind). It may think in words first, then it answers. Answers that earn more than the others of a step (their advantage is positive) are made likelier: reinforcement learning. It all happens on this computer: nothing is uploaded.',
  'the size':
    'The weights (parameters) of each model: the numbers that training changes. Chatbots have billions. All three have learnt from the same examples, and are paid alike. One ladder proves nothing of size: the rule of our study, that the largest keeps its thinking, failed. Over its ten ladders, which trained longer, the largest lost it too in four. This ladder is a shorter training of one start of the study, with its own schedule; in the study’s 150 steps this start did not keep thinking.',
  'the picture':
    'A column with a name is a person; it is shaded while they are in the room. ● moves things, → goes out, ← comes back. The first column says where the thing is. Below each model: what it thinks at that event in its latest test, ✓ true or ✗ false. The outlined row is the last event that everybody asked about saw: its place is the right answer.',
  'practice and test':
    'In practice a model draws its words by chance (sampled), so that training can compare several answers. About half of the first ones skip the thinking, and more of them are wrong than in the test. Every ten steps the model takes a test: no chance (greedy), and questions that it never trains on. Before training all three think there, about 20 words. The verdict uses the test alone. “All” counts every question of belief, greedy and sampled: the two can differ. Papers report that greedy accuracy rises while reasoning is lost; in our study that pattern shows in 1 of 35 base runs.',
  reward: `What an answer is paid, as a mean over a step. ${paysInFull(presets[rungs[0].preset])}`,
  thinking:
    'Words that a model writes before its answer: its trace, or chain of thought. A word is a token of the built-in models. The line is the mean of a step in practice, where words are drawn by chance. The dots are the tests, where the model takes its likeliest words; the verdict uses them.',
  'hard questions':
    'Most questions have a shortcut that asks nobody’s mind: name the place where the thing was after the first event (in stories of swaps; in others, when the first of those asked about left). Hard are those on which the shortcut is wrong, easy those on which it is right. Measured in the test.',
  'the guess':
    'Keeps: more than half of its correct reasoning (all that is said is true, and most of what is needed is said) and of its right answers to hard questions stays. Fakes: it goes on writing, no longer thinks: at most half of them stays. Stops: it writes at most half as much, and at most half of them stays, or there was little to lose: hardly any correct reasoning before training. It may also think less, where a part is lost and less than half; give right answers with thinking that is no longer true; have had little to lose without falling silent; or be too close to call. No guess is right or wrong then.',
  'the seed':
    'A number that fixes the questions and every draw; it stands in the address. The same seed gives the same runs, another one other questions in practice and other luck; those of the test stay the same. What is marked recorded trained beforehand, with seed 2401, and stays the same too.',
  'another seed':
    'Other questions in practice and other luck, the same test. What both runs show is not the luck of practice; another start can end otherwise.',
} as const;

export type Topic = keyof typeof topics;

export function Explained({ about, often }: { about: Topic; often?: number }) {
  const words = often === undefined ? '' : ` Here it is right on ${percent(often)} of the questions.`;
  return <>{topics[about] + words}</>;
}
