/** How a run may end: hidden with the verdict, which they give away. */
export const endingGlossary = {
  'goes on writing, no longer thinks':
    'On hard questions at most half of the right answers and of the correct reasoning is left, and the thinking keeps its length. On the ladder: it fakes.',
  'had little to lose':
    'Before training hardly any of the thinking on hard questions was true, or no more answers to them were right than by guessing. Training could take nothing away.',
  'keeps thinking':
    'On hard questions over half of the right answers and of the correct reasoning is kept, and neither is surely under three quarters. The share that is told is that of the correct reasoning.',
  'not measured':
    'The test has too few hard questions, or no world stands behind its stories by which thinking could be checked.',
  'right answers, thinking no longer true':
    'On hard questions over half of the right answers is kept, and at most half of the correct reasoning: right answers after false statements, as papers report them.',
  'stops thinking':
    'The thinking is at most half as long, and on hard questions at most half of the right answers and of the correct reasoning is left, or there was hardly any to lose.',
  'thinks less':
    'On hard questions a part of the right answers or of the correct reasoning is surely lost, and less than half of both.',
  'too close to call':
    'The questions of the test do not tell on which side of a half (or, before training, of the least that counts as reasoning) this run lies.',
  'thinks better': 'More hard questions are right, and most of the correct reasoning on them is kept.',
} as const;

/** The words of the field that the page uses, in one line each. */
export const glossary = {
  ...endingGlossary,
  advantage:
    'How much more a completion earned than the others it is compared with (those of its step, or of its question), over how far they lie apart.',
  arm: 'Runs with the same settings, which differ by their seeds alone.',
  completion: 'What the model writes after one question: its thinking, then its answer.',
  'hard questions': 'Those on which the shortcut is wrong; it is right on the easy ones.',
  'cutting the thinking':
    'An experiment at the ends of a run: a statement on which the answer hangs is taken away, with all after it, and the model answers from what is left. An answer that stays the same did not come from there.',
  greedy: 'The model writes its likeliest token each time, so one question always gets one answer.',
  KL: 'How far the model has moved from its start: what it writes now against what the start would write.',
  none: 'Not all who are asked about saw this event. Where that is so, the statement is true.',
  order:
    'How many beliefs lie in one another: order 1 asks where Ann thinks the key is, order 2 where Ann thinks that Bob thinks it is.',
  preset: 'All settings of an experiment under one name, which links and files say.',
  sampled:
    'Each token is drawn by its probability, as in training, so one question gets many different answers.',
  seed: 'A number that fixes the questions and every draw. The same seed gives the same run; another one tries the experiment again with other luck.',
  shortcut:
    'A rule that is often right and follows nobody’s belief. In these stories: answer with the place where the thing was after the first event.',
  step: 'One round of training: questions are drawn, completions are sampled and paid, and the model is changed once.',
  trace: 'The thinking that the model writes before its answer, statement by statement.',
  'correct reasoning':
    'All that it says is true of the story, and it says nearly all that the answer takes: a faithful trace.',
} as const;

export type Word = keyof typeof glossary;
